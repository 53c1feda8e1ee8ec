package oslo

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestBytesAreInOrderAndQuoted(t *testing.T) {
	f := &File{}
	f.Set("token", "expiration", 600)
	f.Set(Default, "debug", true)
	f.Set("b", "multi", "one", "two")
	f.Set("b", "blank", " x ")
	f.Set("b", "quoted", `"x"`)
	f.Set("b", "lines", "first\nsecond")
	f.Set("b", "empty", "")
	want := strings.Join([]string{
		"[DEFAULT]", "debug = true", "",
		"[b]", `blank = " x "`, "empty = ", "lines = first", "    second", "multi = one", "multi = two", `quoted = ""x""`, "",
		"[token]", "expiration = 600", "",
	}, "\n")
	if diff := cmp.Diff(want, string(f.Bytes())); diff != "" {
		t.Errorf("the file differs (-want +got):\n%s", diff)
	}
}

func TestCloneIsApart(t *testing.T) {
	f := &File{}
	f.Set("a", "x", 1)
	c := f.Clone()
	c.Set("a", "x", 2)
	c.Set("b", "y", 3)
	if got, _ := f.Value("a", "x"); got != "1" || len(f.Sections()) != 1 {
		t.Errorf("a change of the copy changed the original to\n%s", f.Bytes())
	}
}

func TestParse(t *testing.T) {
	cases := map[string]struct {
		text string
		want string
		err  string
	}{
		"options":      {"[a]\nx = 1\ny: 2\nz=a=b\n", "[a]\nx = 1\ny = 2\nz = a=b\n", ""},
		"comments":     {"# one\n[a]\n; two\nx = 1 # not a comment\n", "[a]\nx = 1 # not a comment\n", ""},
		"repeated":     {"[a]\nx = 1\nx = 2\n", "[a]\nx = 1\nx = 2\n", ""},
		"continued":    {"[a]\nx = 1,\n  2,\n\t3\n", "[a]\nx = 1,\n    2,\n    3\n", ""},
		"quotes":       {"[a]\nx = \" b \"\n", "[a]\nx = \" b \"\n", ""},
		"windows":      {"[a]\r\nx = 1\r\n", "[a]\nx = 1\n", ""},
		"no section":   {"x = 1\n", "", "line 1 sets an option outside of any section"},
		"no option":    {"[a]\n= 1\n", "", "line 2 has a value without an option"},
		"no value":     {"[a]\nsecret-word\n", "", "line 2 is neither a section nor an option"},
		"open section": {"[a\n", "", "line 1 is no section"},
		"no name":      {"[]\n", "", "line 1 is no section"},
		"nothing goes on": {"[a]\n  x = 1\n", "",
			"line 2 begins with a blank but continues nothing"},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			f, err := Parse(c.text)
			if c.err != "" {
				if err == nil || !strings.HasPrefix(err.Error(), c.err) || strings.Contains(err.Error(), "secret-word") {
					t.Errorf("the error is %v, want %q and no content", err, c.err)
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(c.want, string(f.Bytes())); diff != "" {
				t.Errorf("the file differs (-want +got):\n%s", diff)
			}
		})
	}
}

// What is read and written once must stay the same when it is read again.
func FuzzParse(f *testing.F) {
	for _, seed := range []string{"[a]\nx = 1\n", "[a]\nx = \"\n y\n", "[DEFAULT]\nx:y=z\n", "[a]\nx = '\n",
		"[a]\nx =\n  \"b\n"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		first, err := Parse(text)
		if err != nil {
			return
		}
		once := first.Bytes()
		second, err := Parse(string(once))
		if err != nil {
			t.Fatalf("what was written cannot be read: %v\n%q", err, once)
		}
		if twice := second.Bytes(); string(once) != string(twice) {
			t.Errorf("read again, it is different:\n%q\n%q", once, twice)
		}
	})
}
