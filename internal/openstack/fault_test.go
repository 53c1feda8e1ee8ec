package openstack

import (
	"bytes"
	"errors"
	"net/http"
	"os"
	"strconv"
	"strings"
	"testing"
	"time"

	"stackwright.dev/kit/outcome"
)

// answer is one of testdata/answers.txt: its name and, after a colon, where the text is from; status and class;
// message; body. The versions are those of Debian's packages for 2025.1 and 2022.2.
type answer struct {
	name, class, message string
	code                 int
	body                 []byte
}

// answers have the forms that services use.
func answers(tb testing.TB) (list []answer) {
	tb.Helper()
	content, err := os.ReadFile("testdata/answers.txt")
	if err != nil {
		tb.Fatal(err)
	}
	for block := range strings.SplitSeq(strings.TrimSpace(string(content)), "\n\n") {
		lines := strings.SplitN(block+"\n", "\n", 4)
		code, class, _ := strings.Cut(lines[1], " ")
		n, err := strconv.Atoi(code)
		if err != nil {
			tb.Fatal(err)
		}
		name, from, _ := strings.Cut(strings.TrimPrefix(lines[0], "# "), ": ")
		if from == "" {
			tb.Fatalf("%s: say where the text is from, after a colon", name)
		}
		list = append(list, answer{name: name, class: class, message: lines[2], code: n,
			body: []byte(strings.TrimSpace(lines[3]))})
	}
	return list
}

func TestClassesAndMessages(t *testing.T) {
	for _, a := range answers(t) {
		t.Run(a.name, func(t *testing.T) {
			text := message(a.code, a.body)
			if text != a.message {
				t.Errorf("message is %q, want %q", text, a.message)
			}
			class, transitional := classify(a.code, text)
			got := class.String()
			if transitional {
				got += " transitional"
			}
			if got != a.class {
				t.Errorf("class is %s, want %s", got, a.class)
			}
		})
	}
}

func FuzzMessage(f *testing.F) {
	for _, a := range answers(f) {
		f.Add(a.body)
	}
	f.Fuzz(func(t *testing.T, body []byte) {
		text := message(500, body)
		if text == "" || len([]rune(text)) > longestMessage+3 {
			t.Errorf("message %q of %q", text, body)
		}
		if strings.ContainsAny(text, "\n\t") {
			t.Errorf("message %q has several lines", text)
		}
	})
}

func TestOutcomes(t *testing.T) {
	for class, want := range map[Class]struct {
		class outcome.Class
		do    string
	}{
		Unknown:     {outcome.Unknown, "; it is tried again; see the log of the service"},
		Invalid:     {outcome.Invalid, "; correct what it names"},
		Conflict:    {outcome.Unknown, "; see what holds it; it is tried again"},
		Quota:       {outcome.Quota, "; raise the quota, or delete what is not needed"},
		Auth:        {outcome.Denied, "; correct the credentials, or give their user the right"},
		NotFound:    {outcome.Unknown, "; see whether somebody deletes it; it is tried again"},
		RateLimited: {outcome.RateLimited, "; it is tried again when the service allows"},
		Unavailable: {outcome.Unavailable, "; it is tried again; see why the service does not answer"},
		99:          {outcome.Unknown, "."},
	} {
		f := &Fault{Class: class, Service: "compute", Method: "GET", Path: "servers", Code: 418, Message: "no.",
			RetryAfter: time.Minute}
		o := outcome.FromError(Outcome(f))
		text := "service compute answered GET servers with 418 I'm a teapot: no" + want.do
		if o.Class != want.class || o.After != time.Minute || o.Message != text {
			t.Errorf("outcome of %s is %+v", class, o)
		}
		if !errors.Is(o.Err, f) {
			t.Errorf("outcome of %s lost its fault", class)
		}
	}
	busy := &Fault{Class: Conflict, Transitional: true}
	if o := outcome.FromError(Outcome(busy)); o.Class != outcome.Conflict {
		t.Errorf("outcome of what is busy is %+v, want one that is retried soon", o)
	}
	if o := outcome.FromError(Outcome(&Fault{Class: Conflict})); o.Reason != "Conflict" {
		t.Errorf("outcome of a conflict is %+v", o)
	}
}

func TestRetryAfter(t *testing.T) {
	date := "Wed, 21 Oct 2026 07:28:00 GMT"
	for name, c := range map[string]struct {
		header, date string
		want         time.Duration
	}{
		"none":      {"", "", 0},
		"seconds":   {"7", "", 7 * time.Second},
		"date":      {"Wed, 21 Oct 2026 07:28:30 GMT", date, 30 * time.Second},
		"past":      {"Wed, 21 Oct 2026 07:27:30 GMT", date, 0},
		"negative":  {"-5", "", 0},
		"nonsense":  {"soon", "", 0},
		"forever":   {"99999999999", "", time.Hour},
		"next year": {"Thu, 21 Oct 2027 07:28:30 GMT", date, time.Hour},
	} {
		t.Run(name, func(t *testing.T) {
			h := http.Header{"Retry-After": {c.header}, "Date": {c.date}}
			if got := retryAfter(h); got != c.want {
				t.Errorf("pause is %s, want %s", got, c.want)
			}
		})
	}
}

func TestRedact(t *testing.T) {
	body := []byte(`{"user": {"name": "alice", "password": "Tr0ub4dor", "original_password": ["old-one"]},
		"auth": {"password": {"user": {"domain": "Default"}}}, "server": {"adminPass": "adm1n", "user_data": "IyEvYmlu"}}`)
	secrets := append(secretsIn(body), "gAAAA-token", "abc", "")
	got := redact("alice of Default: Tr0ub4dor, old-one, adm1n, IyEvYmlu, gAAAA-token, abc", secrets)
	if want := "alice of Default: ***, ***, ***, ***, ***, abc"; got != want {
		t.Errorf("redacted is %q, want %q", got, want)
	}
	if bytes.Contains(body, []byte("***")) {
		t.Error("the body was changed")
	}
}
