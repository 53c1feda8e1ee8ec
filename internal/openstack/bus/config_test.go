package bus

import (
	"strings"
	"testing"
)

func TestParse(t *testing.T) {
	for name, c := range map[string]struct {
		url  string
		want []host
		path string
		tls  bool
	}{
		"one": {"rabbit://nova:p%40ss@mq:5672/open%2Fstack", []host{{"mq:5672", "mq", "nova", "p@ss"}}, "open/stack", false},
		"members": {"rabbit://a:1@mq-0:5671,b:2@mq-1:5671/x?ssl=1",
			[]host{{"mq-0:5671", "mq-0", "a", "1"}, {"mq-1:5671", "mq-1", "b", "2"}}, "x", true},
		"no port":   {"amqps://a:1@mq/", []host{{"mq:5671", "mq", "a", "1"}}, "/", true},
		"nobody":    {"amqp://mq", []host{{"mq:5672", "mq", "guest", "guest"}}, "/", false},
		"version 6": {"amqp://a:1@[::1]/v", []host{{"[::1]:5672", "::1", "a", "1"}}, "v", false},
	} {
		t.Run(name, func(t *testing.T) {
			a, err := Config{URL: c.url}.parse()
			if err != nil {
				t.Fatal(err)
			}
			for i, h := range a.hosts {
				if i >= len(c.want) || h != c.want[i] {
					t.Errorf("host %d is %+v, want %+v", i, h, c.want)
				}
			}
			if len(a.hosts) != len(c.want) || a.vhost != c.path || (a.tls != nil) != c.tls {
				t.Errorf("got %d hosts, vhost %q, encrypted %t", len(a.hosts), a.vhost, a.tls != nil)
			}
		})
	}
}

// What is wrong with a URL is said without its password.
func TestParseRefuses(t *testing.T) {
	for _, url := range []string{"", "hunter2", "http://u:hunter2@mq/", "rabbit://u:hunter2@/v",
		"rabbit://u:hunter2@mq:port/v", "rabbit://u:hunter2@mq:5672/%zz", "rabbit://u:hunter2@mq:5672/v?a=%zz"} {
		if _, err := (Config{URL: url}).parse(); err == nil || strings.Contains(err.Error(), "hunter2") {
			t.Errorf("parsing %q: %v", url, err)
		}
	}
	if _, err := (Config{URL: "amqp://mq", CA: []byte("no PEM")}).parse(); err == nil {
		t.Error("a CA that is none is taken")
	}
}

func FuzzParse(f *testing.F) {
	f.Add("rabbit://a:1@mq-0:5671,b:2@mq-1:5671/x?ssl=1")
	f.Fuzz(func(t *testing.T, url string) {
		if a, err := (Config{URL: url}).parse(); err == nil && len(a.hosts) == 0 {
			t.Error("no hosts and no error")
		}
	})
}
