package openstack

import (
	"encoding/json"
	"reflect"
	"strconv"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
)

const goodAuth = `auth_url: https://k/v3, username: u, password: hunter22, user_domain_name: Default, project_id: p`

func one(inner string) string { return "clouds: {one: {" + inner + "}}" }

// yml is a configuration of one cloud; with has the good credential besides, edit is it with a replacement.
func yml(inner string) Config  { return Config{Clouds: []byte(one(inner))} }
func with(inner string) Config { return yml(inner + ", auth: {" + goodAuth + "}") }
func edit(old, replacement string) Config {
	return yml("auth: {" + strings.Replace(goodAuth, old, replacement, 1) + "}")
}

func TestConfigsThatAreRefused(t *testing.T) {
	for name, c := range map[string]struct {
		config Config
		want   string
	}{
		"not yaml":       {Config{Clouds: []byte("clouds: {one: {auth: {password: hunter22")}, "cannot be read near line"},
		"wrong type":     {Config{Clouds: []byte("clouds:\n  one:\n    auth: hunter22\n")}, "cannot be read near line 3"},
		"no content":     {Config{}, "has no clouds"},
		"another entry":  {Config{Clouds: []byte("clouds: {a: {}, b: {}}"), Entry: "c"}, `no cloud "c"; choose one of a, b`},
		"several":        {Config{Clouds: []byte("clouds: {b: {}, a: {}}")}, "name one of a, b"},
		"empty entry":    {Config{Clouds: []byte("clouds: {one: }")}, "has no auth.auth_url"},
		"no auth":        {yml("region_name: x"), "has no auth.auth_url"},
		"ca file":        {with("cacert: /etc/ca.pem"), "names a file in cacert"},
		"client cert":    {with("cert: c.pem"), "names a file in cert"},
		"client key":     {with("key: c.pem"), "names a file in key"},
		"profile":        {with("profile: vexxhost"), "profile"},
		"not verified":   {with("verify: false"), "verify: false"},
		"v2 url":         {edit("v3", "v2.0/"), "version 2"},
		"v2 auth type":   {with("auth_type: v2password"), "version 2"},
		"v2 version":     {with("identity_api_version: 2.0"), "version 2"},
		"other type":     {with("auth_type: v3oidcpassword"), "auth_type"},
		"no scheme":      {edit("https://", ""), "not an http"},
		"user in url":    {edit("//", "//a:b@"), "more than an address"},
		"no password":    {yml("auth: {auth_url: 'http://k', username: u}"), "provide a password"},
		"no user domain": {yml("auth: {auth_url: 'http://k', username: u, password: p}"), "not complete"},
		"no project domain": {yml("auth: {auth_url: 'http://k', user_id: u, password: p, project_name: x}"),
			"project of cloud"},
		"interface": {Config{Clouds: edit("", "").Clouds, Interface: "secret"}, "public, internal or admin"},
		"limits": {Config{Clouds: edit("", "").Clouds, Limits: Limits{"compute": {Rate: -1}}},
			`limits of service "compute"`},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := c.config.parse(false)
			wants(t, err, Invalid, c.want)
			if strings.Contains(err.Error(), "hunter22") {
				t.Errorf("error %q tells the password", err)
			}
		})
	}
}

func TestCredentials(t *testing.T) {
	user := `{"name":"u","password":"p","domain":{"name":"D"}}`
	for name, c := range map[string]struct{ entry, want string }{
		"project of a domain": {
			`auth: {auth_url: 'http://k', username: u, password: p, user_domain_name: D, project_name: x,
			   project_domain_id: E}`,
			`{"identity":{"methods":["password"],"password":{"user":` + user + `}},
			  "scope":{"project":{"name":"x","domain":{"id":"E"}}}}`},
		"numbers stay text": {
			`auth: {auth_url: 'http://k', user_id: 007, password: 0123, project_id: 42}`,
			`{"identity":{"methods":["password"],"password":{"user":{"id":"007","password":"0123"}}},
			  "scope":{"project":{"id":"42"}}}`},
		"domain admin of another domain": {
			`auth: {auth_url: 'http://k', username: u, password: p, user_domain_name: D, domain_id: E}`,
			`{"identity":{"methods":["password"],"password":{"user":` + user + `}},"scope":{"domain":{"id":"E"}}}`},
		"system": {
			`auth: {auth_url: 'http://k', username: u, password: p, user_domain_name: D, system_scope: all}`,
			`{"identity":{"methods":["password"],"password":{"user":` + user + `}},"scope":{"system":{"all":true}}}`},
		"application credential besides a project": {
			`auth_type: v3applicationcredential, auth: {auth_url: 'http://k', application_credential_id: i,
			   application_credential_secret: s, project_id: x, username: u}`,
			`{"identity":{"methods":["application_credential"],"application_credential":{"id":"i","secret":"s"}}}`},
		"token that is guessed": {
			`auth: {auth_url: 'http://k', token: t, project_id: x}`,
			`{"identity":{"methods":["token"],"token":{"id":"t"}},"scope":{"project":{"id":"x"}}}`},
	} {
		t.Run(name, func(t *testing.T) {
			// The environment of the operator must not matter.
			t.Setenv("OS_CLOUD", "other")
			t.Setenv("OS_CACERT", "/nowhere")
			t.Setenv("OS_REGION_NAME", "elsewhere")
			e, err := Config{Clouds: []byte(one(c.entry))}.parse(false)
			if err != nil {
				t.Fatal(err)
			}
			var got, want any
			if err := json.Unmarshal(e.body, &got); err != nil {
				t.Fatal(err)
			}
			if err := json.Unmarshal([]byte(`{"auth":`+c.want+`}`), &want); err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("credential (-want +got):\n%s", diff)
			}
			if e.region != "" || e.authURL != "http://k/v3" || e.face != "public" {
				t.Errorf("region %q, address %q, interface %q", e.region, e.authURL, e.face)
			}
		})
	}
}

// identityOf is what decides what a session may do, spelt out for the fuzzer.
type identityOf struct{ scope, user, password, domain, ca, region, face string }

// key is false for what is refused.
func (i identityOf) key() (key, bool) {
	// Go's escapes are YAML's.
	q := strconv.QuoteToASCII
	doc := one(`auth: {auth_url: "http://k", username: ` + q(i.user) + `, password: ` + q(i.password) +
		`, user_domain_name: ` + q(i.domain) + `, project_id: p}`)
	e, err := Config{Clouds: []byte(doc), CA: []byte(i.ca), Region: i.region, Interface: i.face}.parse(false)
	if err != nil {
		return key{}, false
	}
	return e.key(i.scope), true
}

func FuzzSessionsAreNeverShared(f *testing.F) {
	f.Add("ns/a", "u", "p", "d", "", "r", "public", "ns/a", "u", "p", "d", "", "r", "internal")
	f.Add("ns/ab", "c", "p", "d", "", "", "", "ns/a", "bc", "p", "d", "", "", "")
	f.Add("a", "u", "p\"", "d", "x", "y", "", "a", "u", "p", "\"d", "xy", "", "")
	// One next to the other in what is hashed.
	f.Add("a", "u", "p", "d", "x", "y", "", "a", "u", "p", "d", "xy", "", "")
	f.Fuzz(func(t *testing.T, s1, u1, p1, d1, c1, r1, f1, s2, u2, p2, d2, c2, r2, f2 string) {
		if !utf8.ValidString(u1 + p1 + d1 + "|" + u2 + p2 + d2) {
			return
		}
		a, b := identityOf{s1, u1, p1, d1, c1, r1, f1}, identityOf{s2, u2, p2, d2, c2, r2, f2}
		x, ok1 := a.key()
		y, ok2 := b.key()
		if !ok1 || !ok2 {
			return
		}
		a.face, _ = interfaceOf(a.face)
		b.face, _ = interfaceOf(b.face)
		if (x == y) != (a == b) {
			t.Errorf("keys are equal: %t\n%+v\n%+v", x == y, a, b)
		}
	})
}

func FuzzCloudsYAML(f *testing.F) {
	f.Add([]byte(one("auth: {" + goodAuth + "}")))
	f.Add([]byte("clouds: {a: &a {auth: {auth_url: *a}}}"))
	f.Fuzz(func(t *testing.T, content []byte) {
		e, err := Config{Clouds: content}.parse(true)
		if (e == nil) == (err == nil) {
			t.Errorf("entry %v with error %v", e, err)
		}
	})
}

// One clouds.yaml is for clients that read files, too.
func TestPathOfACAIsLeftAloneWhenItsContentIsGiven(t *testing.T) {
	c := with("cacert: /etc/openstack/ca.crt")
	c.CA = []byte("content")
	if _, err := c.parse(false); err != nil {
		t.Errorf("the configuration is refused: %v", err)
	}
}

// A configuration is parsed once; whatever differs in it makes it another.
func TestConfigIsParsedOnce(t *testing.T) {
	p := NewPool(Options{AllowInsecure: true})
	good := with("region_name: a")
	configs := []Config{good}
	for range 7 {
		configs = append(configs, good)
	}
	configs[1].Clouds = edit("hunter22", "hunter23").Clouds
	configs[2].Clouds, configs[2].Entry = good.Clouds, "one"
	configs[3].CA = []byte("a")
	configs[4].Region = "b"
	configs[5].Interface = "internal"
	configs[6].Limits = Limits{"compute": {Rate: 1}}
	configs[7].Limits = Limits{"compute": {Burst: 1}}
	if n := reflect.TypeFor[Config]().NumField(); n != 6 {
		t.Fatalf("a Config has %d fields; have one that differs here for each", n)
	}
	seen := map[*entry]bool{}
	for _, c := range configs {
		e, err := p.entry(c)
		if err != nil {
			t.Fatal(err)
		}
		again, err := p.entry(c)
		if err != nil || again != e {
			t.Errorf("%+v was parsed again (%v)", c, err)
		}
		seen[e] = true
	}
	if len(seen) != len(configs) {
		t.Errorf("%d configurations share %d entries", len(configs), len(seen))
	}
	for range 2 {
		_, err := p.entry(yml("region_name: x"))
		wants(t, err, Invalid, "has no auth.auth_url")
	}
}
