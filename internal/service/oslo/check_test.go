package oslo

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"stackwright.dev/stackwright/internal/image/catalogue"
	"stackwright.dev/stackwright/releases"
)

func keystone(t *testing.T) Checker {
	t.Helper()
	c, err := catalogue.Load(releases.Files, "epoxy", "keystone")
	if err != nil {
		t.Fatal(err)
	}
	return Checker{Catalogue: c, Free: []string{"remote_id_attribute"}}
}

func parse(t *testing.T, text string) *File {
	t.Helper()
	f, err := Parse(text)
	if err != nil {
		t.Fatal(err)
	}
	return f
}

func TestComposeRefuses(t *testing.T) {
	cases := map[string]struct {
		text   string
		hidden bool
		want   string
	}{
		"section": {text: "[tokn]\nexpiration = 5",
			want: "x: keystone of release epoxy has no section [tokn]; did you mean [token]?"},
		"section of a known option": {text: "[federated_stuff_here]\nmax_active_keys = 5",
			want: "x: keystone of release epoxy has no section [federated_stuff_here]; move it to [fernet_receipts] or " +
				"[fernet_tokens]"},
		"option": {text: "[token]\nexpiraton = 5",
			want: "x: keystone of release epoxy has no option expiraton in section [token]; did you mean expiration?"},
		"option elsewhere": {text: "[token]\nmax_active_keys = 5",
			want: "x: keystone of release epoxy has no option max_active_keys in section [token]; " +
				"move it to [fernet_receipts] or [fernet_tokens]"},
		"option unlike any": {text: "[token]\nzzzzzzzzzzzzzz = 5",
			want: "x: keystone of release epoxy has no option zzzzzzzzzzzzzz in section [token]; take it out"},
		"integer": {text: "[token]\nexpiration = an hour",
			want: `x: [token] expiration must be an integer of at least 0 and at most 9223372036854775807, not "an hour"`},
		"limit": {text: "[fernet_tokens]\nmax_active_keys = 0",
			want: `x: [fernet_tokens] max_active_keys must be an integer of at least 1, not "0"`},
		"boolean": {text: "[cache]\nenabled = maybe", want: `x: [cache] enabled must be true or false, not "maybe"`},
		"choice": {text: "[identity]\npassword_hash_algorithm = bcript",
			want: `x: [identity] password_hash_algorithm must be one of bcrypt, bcrypt_sha256, scrypt, pbkdf2_sha512 ` +
				`(did you mean bcrypt?), not "bcript"`},
		"hidden value": {text: "[token]\nexpiration = very secret", hidden: true,
			want: "x: [token] expiration must be an integer of at least 0 and at most 9223372036854775807"},
		"lines": {text: "[token]\nprovider = fernet\n  jws", want: `x: [token] provider must be one line, not "fernet\njws"`},
		"two": {text: "[tokn]\na = 1\n[token]\nexpiraton = 5",
			want: "x: keystone of release epoxy has no option expiraton in section [token]; did you mean expiration?; " +
				"x: keystone of release epoxy has no section [tokn]; did you mean [token]?"},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			layer := Layer{Origin: "x", Hidden: c.hidden, File: parse(t, c.text)}
			_, err := keystone(t).Compose(&File{}, layer)
			if err == nil {
				t.Fatal("it was accepted")
			}
			if c.hidden && strings.Contains(err.Error(), "very secret") {
				t.Errorf("the message tells a hidden value: %v", err)
			}
			if diff := cmp.Diff(c.want, err.Error()); diff != "" {
				t.Errorf("the message differs (-want +got):\n%s", diff)
			}
		})
	}
}

func TestComposeLaysLaterOverEarlier(t *testing.T) {
	base := parse(t, "[token]\nexpiration = 1\nprovider = fernet\n[cache]\nenabled = true\n")
	fragment := Layer{Origin: "Secret a",
		File: parse(t, "[token]\nexpiration = 2\nexpiration = 3\n[openid]\nremote_id_attribute = HTTP_X\n")}
	own := Layer{Origin: "spec.config",
		File: parse(t, "[Cache]\nenabled = FALSE\nbackend-argument = a:1\nbackend_argument = b:2\n")}
	got, err := keystone(t).Compose(base, fragment, own)
	if err != nil {
		t.Fatal(err)
	}
	want := "[cache]\nbackend_argument = b:2\nenabled = FALSE\n\n[openid]\nremote_id_attribute = HTTP_X\n\n" +
		"[token]\nexpiration = 3\nprovider = fernet\n"
	if diff := cmp.Diff(want, string(got.Bytes())); diff != "" {
		t.Errorf("the file differs (-want +got):\n%s", diff)
	}
	if v, _ := base.Value("token", "expiration"); v != "1" {
		t.Error("the operator's own options were changed")
	}
}

func TestComposeTakesFormerNamesForNewOnes(t *testing.T) {
	for text, want := range map[string]string{
		"[DEFAULT]\nrpc_thread_pool_size = 8":      "[DEFAULT]\nexecutor_thread_pool_size = 8\n",
		"[DEFAULT]\nrpc-thread-pool-size = 8":      "[DEFAULT]\nexecutor_thread_pool_size = 8\n",
		"[token]\nrevocation_cache_time = 8":       "[DEFAULT]\nexecutor_thread_pool_size = 64\n\n[revoke]\ncache_time = 8\n",
		"[token]\nrevocation_cache_time = an hour": `x: [token] revocation_cache_time must be an integer, not "an hour"`,
	} {
		base := parse(t, "[DEFAULT]\nexecutor_thread_pool_size = 64\n")
		if got := answer(keystone(t).Compose(base, Layer{Origin: "x", File: parse(t, text)})); got != want {
			t.Errorf("%q: got\n%s\nwant\n%s", text, got, want)
		}
	}
}

// answer is the file, or the error.
func answer(f *File, err error) string {
	if err != nil {
		return err.Error()
	}
	return string(f.Bytes())
}

func TestComposeJoinsLists(t *testing.T) {
	cases := map[string]struct {
		section, option string
		values          []any
		want            string
	}{
		"list": {"auth", "methods", []any{"password", "token"}, "[auth]\nmethods = password,token\n"},
		"multi": {"cache", "backend_argument", []any{"a:1", "b:2"},
			"[cache]\nbackend_argument = a:1\nbackend_argument = b:2\n"},
		"scalar": {"token", "provider", []any{"fernet", "jws"}, "x: [token] provider takes one value; write no list"},
		"comma": {"auth", "methods", []any{"a,b"},
			"x: [auth] methods has a comma in an item of its list; write the list as one string"},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			f := &File{}
			f.Set(c.section, c.option, c.values...)
			layer := Layer{Origin: "x", File: f, Lists: map[[2]string]bool{{c.section, c.option}: true}}
			out, err := keystone(t).Compose(&File{}, layer)
			if diff := cmp.Diff(c.want, answer(out, err)); diff != "" {
				t.Errorf("it differs (-want +got):\n%s", diff)
			}
		})
	}
}

// Python ends a line at a carriage return, too. What follows one would be an option that nobody has checked.
func TestNobodyBeginsALine(t *testing.T) {
	check := keystone(t)
	check.Sections = map[string]Section{"third": {}}
	const more = "x\r[database]\rconnection = y"
	for want, in := range map[string][3]string{
		"[third]\nany = x\n    [database]\n    connection = y\n":                    {"third", "any", more},
		`x: [token] provider must be one line, not "x\r[database]\rconnection = y"`: {"token", "provider", more},
		`x: the name "a\r[database]\rb" has a line end; take it out`:                {"third", "a\r[database]\rb", "y"},
		`x: the name "third\nx" has a line end; take it out`:                        {"third\nx", "any", "y"},
	} {
		f := &File{}
		f.Set(in[0], in[1], in[2])
		if got := answer(check.Compose(&File{}, Layer{Origin: "x", File: f})); got != want {
			t.Errorf("%q: got\n%s\nwant\n%s", in, got, want)
		}
	}
}

func TestMessageTellsTheFirstOfMany(t *testing.T) {
	text := "[token]\n"
	for _, c := range "abcdefghijkl" {
		text += "zzzzzzzzz" + string(c) + " = 1\n"
	}
	_, err := keystone(t).Compose(&File{}, Layer{Origin: "x", File: parse(t, text)})
	if err == nil || !strings.HasSuffix(err.Error(), "; and 4 more") || strings.Count(err.Error(), "; take it out") != 8 {
		t.Errorf("the message is %v", err)
	}
}

// An empty list takes every value away, and must not be an accident for an option that has exactly one.
func TestComposeTakesEmptyLists(t *testing.T) {
	for option, want := range map[[2]string]string{
		{"cache", "backend_argument"}: "[cache]\n",
		{"auth", "methods"}:           "[auth]\nmethods = \n",
		{"token", "provider"}:         "x: [token] provider takes one value; write no list",
	} {
		f := &File{}
		f.Set(option[0], option[1])
		out, err := keystone(t).Compose(&File{}, Layer{Origin: "x", File: f, Lists: map[[2]string]bool{option: true}})
		if got := answer(out, err); got != want {
			t.Errorf("%v: got %q, want %q", option, got, want)
		}
	}
}

// Sections that users name take the options that they are said to take, and no others are taken for them.
func TestComposeOfNamedSections(t *testing.T) {
	c := keystone(t)
	count := catalogue.Option{Type: catalogue.Type{Kind: catalogue.KindInteger}}
	c.Sections = map[string]Section{"some": {Like: "token", Only: []string{"expiration", "provider"},
		Beside: map[string]catalogue.Option{"weight": count}}, "all": {Like: "token"}, "any": {}}
	for text, want := range map[string]string{
		"[some]\nexpiration = 5\nweight = 1": "[some]\nexpiration = 5\nweight = 1\n",
		"[some]\nexpiration = soon": "x: [some] expiration must be an integer of at least 0 and at most " +
			`9223372036854775807, not "soon"`,
		"[some]\nweight = much":  `x: [some] weight must be an integer, not "much"`,
		"[some]\nexpiratoin = 5": "x: section [some] takes no option expiratoin; did you mean expiration?",
		"[some]\nrevoke_by_id = true": "x: section [some] takes no option revoke_by_id; take it out, or use one of " +
			"expiration, provider, weight",
		"[all]\nrevoke_by_id = true": "[all]\nrevoke_by_id = true\n",
		"[all]\nweight = 1":          "x: section [all] takes no option weight; take it out, or use one of those of [token]",
		"[any]\nwhat = ever":         "[any]\nwhat = ever\n",
		"[sone]\nweight = 1":         "x: keystone of release epoxy has no section [sone]; did you mean [some]?",
	} {
		if got := answer(c.Compose(&File{}, Layer{Origin: "x", File: parse(t, text)})); got != want {
			t.Errorf("%q: it is %q, want %q", text, got, want)
		}
	}
}

// To another program than oslo.config a dash is no underscore and a $ a letter as any other is, and what the operator
// owns is refused with the reason.
func TestComposeOfAnotherProgram(t *testing.T) {
	number := catalogue.Option{Type: catalogue.Type{Kind: catalogue.KindInteger}}
	known := map[string]catalogue.Group{"a": {Options: map[string]catalogue.Option{"max-idle": number,
		"max_idle": number, "port": number}}}
	c := Checker{Plain: true, Catalogue: &catalogue.Catalogue{Service: "tool", Release: "1", Groups: known},
		Own: func(section, option string) string {
			return map[[2]string]string{{"a", "port"}: "spec.port says which one it is"}[[2]string{section, option}]
		}}
	for text, want := range map[string]string{
		"[a]\nmax-idle = 1\nmax_idle = 2": "[a]\nmax-idle = 1\nmax_idle = 2\n",
		"[a]\nmax-idle = $max_idle":       `x: [a] max-idle must be an integer, not "$max_idle"`,
		"[a]\nmax-idel = 1": "x: tool of release 1 has no option max-idel in section [a]; did you mean " +
			"max-idle?",
		"[a]\nport = 1": "x: [a] port is not set here: spec.port says which one it is; take it out",
	} {
		got := answer(c.Compose(&File{}, Layer{Origin: "x", File: parse(t, text)}))
		if got != want {
			t.Errorf("%q: it is %q, want %q", text, got, want)
		}
	}
}
