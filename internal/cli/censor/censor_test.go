package censor

import (
	"cmp"
	"context"
	"encoding/base64"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

const (
	drawn   = "KX7Q2MZB4WJ5NPTA6CHVRD3YEL"
	cephs   = "AQAAAAAAAAAAABAAJkq3vZ0eYb2nT5mWcXr8Ug=="
	fernet  = "3q2-7w_V9dK0Jm4XyPzT1rLhB8sFcGnA6uEoQiWvYk0="
	pemLine = "MC4CAQAwBQYDK2VwBCIEIHkLmSPVHMrbVpCmCVEPlZvqoMn7lY1ZfzhzXm5kq8fC"
	pem     = "-----BEGIN PRIVATE KEY-----\n" + pemLine + "\n-----END PRIVATE KEY-----\n"
	cert    = "-----BEGIN CERTIFICATE-----\n" + pemLine + "\n-----END CERTIFICATE-----\n"
)

// shelf is a cluster that has these Secrets, and gives them out a few at a time.
type shelf struct {
	client.Reader
	secrets []corev1.Secret
}

func (s shelf) List(_ context.Context, list client.ObjectList, opts ...client.ListOption) error {
	o := (&client.ListOptions{}).ApplyOptions(opts)
	out, ok := list.(*corev1.SecretList)
	if !ok || o.Limit == 0 {
		return fmt.Errorf("a list of %T without a limit", list)
	}
	from, _ := strconv.Atoi(o.Continue)
	out.Items, out.Continue = nil, ""
	for i, secret := range s.secrets {
		switch {
		case i < from || secret.Namespace != o.Namespace:
		case len(out.Items) == 2:
			out.Continue = strconv.Itoa(i)
			return nil
		default:
			out.Items = append(out.Items, secret)
		}
	}
	return nil
}

func secret(namespace, name, key, value string) corev1.Secret {
	return corev1.Secret{ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: name},
		Data: map[string][]byte{key: []byte(value)}}
}

func of(t *testing.T, secrets ...corev1.Secret) *Censor {
	t.Helper()
	c, err := New(t.Context(), shelf{secrets: secrets}, []string{"openstack", "away"})
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// Values are looked for by the names of keys, by the names of options in files, and by their look.
func TestWhatIsTakenOut(t *testing.T) {
	for name, c := range map[string]struct{ key, value, hidden string }{
		"password":            {"password", "correct horse battery", "correct horse battery"},
		"short password":      {"password", "hunter2", "hunter2"},
		"word":                {"password", "swordfish", "swordfish"},
		"line feed of echo":   {"password", "hunter22\n", base64.StdEncoding.EncodeToString([]byte("hunter22\n"))},
		"in a URL":            {"password", "a/b c+d@e", "a%2Fb%20c%2Bd%40e"},
		"in JSON":             {"password", `quote"back\slash`, `quote\"back\\slash`},
		"fernet key":          {"1", fernet, fernet},
		"Ceph's admin":        {"admin", cephs, cephs},
		"Ceph's monitor":      {"mon", cephs, cephs},
		"Ceph's client":       {"client.volumes", cephs, cephs},
		"Rook's client":       {"volumes", cephs, cephs},
		"keyring":             {"keyring", "[client.volumes]\n\tkey = " + cephs + "\n\tcaps mon = \"allow r\"\n", cephs},
		"private key":         {"tls.key", pem, pemLine},
		"key and certificate": {"server.pem", cert + strings.ReplaceAll(pem, "MC4C", "MC4D"), "MC4D" + pemLine[4:]},
		"key in JSON":         {"account.json", `{"k":"` + strings.ReplaceAll(pem, "\n", `\n`) + `"}`, pemLine},
		"clouds.yaml":         {"clouds.yaml", "clouds:\n  c:\n    auth:\n      password: s3cr:t # x\n", "s3cr:t"},
		"application credential": {"clouds.yaml", "clouds: {c: {auth: {application_credential_secret: very-much-so}}}",
			"very-much-so"},
		"token":          {"clouds.yaml", "clouds:\n  c:\n    auth: {token: 'gAAAAA x'}\n", "gAAAAA x"},
		"number":         {"clouds.yaml", "clouds: {c: {auth: {password: 1234567890}}}", "1234567890"},
		"option":         {"extra.conf", "[ldap]\nuser = cn=nova\npassword = k9#p!\n", "k9#p!"},
		"key option":     {"extra.conf", "[a]\nheartbeat_key=0123456789abcdef0123\n", "0123456789abcdef0123"},
		"keys":           {"barbican.conf", "[simple_crypto_plugin]\nkek = " + fernet + "," + cephs + "\n", cephs},
		"database":       {"connection", "mysql+pymysql://nova:p4ss%2Fw@db:3306/nova?charset=utf8", "p4ss/w"},
		"second of bus":  {"x", "rabbit://a:one-1@h1:5672,a:two-2@h2:5672/v", "two-2"},
		"ours, unnamed":  {"settings", "x " + drawn, drawn},
		"environment":    {"openrc", "export OS_PASSWORD=\"k9#p!\"\n", "k9#p!"},
		"a file, copied": {"a.conf", "[a]\npassword = k9#p!\n", "W2FdCnBhc3N3b3JkID0gazkjcCEK"},
		"Docker's":       {".dockerconfigjson", `{"auths":{"r":{"username":"u","password":"k9#p!"}}}`, "k9#p!"},
	} {
		t.Run(name, func(t *testing.T) {
			censor := of(t, secret("openstack", "given", c.key, c.value))
			got := string(censor.Clean("log", []byte("before "+c.hidden+" after")))
			if strings.Contains(got, c.hidden) || !strings.HasPrefix(got, "before (taken out: ") ||
				!strings.HasSuffix(got, " of Secret openstack/given) after") {
				t.Errorf("the text is %q", got)
			}
			if told := censor.Told(); len(told) != 1 || !strings.HasSuffix(told[0], "of Secret openstack/given in log") {
				t.Errorf("it tells %q", told)
			}
		})
	}
}

// What everybody may see stays, and so does what stands everywhere, of which it is told that nobody looks for it.
func TestWhatStays(t *testing.T) {
	const uid = "0c9f3c5e-7a1b-4d52-9f0e-6b1a2c3d4e5f"
	for name, c := range map[string]struct {
		key, value, text string
		passed           bool
	}{
		"user":          {"username", "keystone-api-1", "keystone-api-1", false},
		"host":          {"host", "cloud-galera.openstack.svc.local", "cloud-galera.openstack.svc.local", false},
		"certificate":   {"tls.crt", cert, pemLine, false},
		"authority":     {"ca.crt", cert, pemLine, false},
		"given cert":    {"bundle", cert, pemLine, false},
		"program":       {"start.py", "password = os.environ['PASSWORD']", "os.environ['PASSWORD']", false},
		"id":            {"fsid", uid, uid, false},
		"project":       {"clouds.yaml", "project_id: 0123456789abcdef9876543210fedcba", "9876543210fedcba", false},
		"digest":        {"hash", strings.Repeat("0123456789abcdef", 4), strings.Repeat("0123456789abcdef", 4), false},
		"time":          {"rotated", "2026-01-02T03:04:05Z", "2026-01-02T03:04:05Z", false},
		"cipher":        {"a.conf", "ciphers = ECDHE-RSA-AES256-GCM-SHA384", "ECDHE-RSA-AES256-GCM-SHA384", false},
		"path":          {"a.conf", "ssl_key = /etc/nova/tls/tls.key\n", "/etc/nova/tls/tls.key", false},
		"rule":          {"policy.yaml", `"identity:revoke_token": "rule:admin_required"`, "rule:admin_required", false},
		"switch":        {"a.conf", "enable_token = true\nsort_key = created\n", "true created", false},
		"no password":   {"password", "", "nothing", false},
		"admin":         {"password", "admin", "admin", true},
		"True":          {"password", "True", "True", true},
		"PIN":           {"password", "8080", "8080", true},
		"tiny":          {"password", "a1", "a1", true},
		"the namespace": {"password", "away", "away", true},
		"its own name":  {"password", "given", "given", true},
		"part of words": {"password", "node1", "node12 mynode1 node1-a", false},
		"a word's part": {"password", "swordfish", "swordfishes", false},
	} {
		t.Run(name, func(t *testing.T) {
			censor := of(t, secret("openstack", "given", c.key, c.value))
			if got := string(censor.Clean("log", []byte(c.text))); got != c.text || len(censor.Told()) > 0 {
				t.Errorf("the text is %q, and it tells %q", got, censor.Told())
			}
			want := []string{"key " + c.key + " of Secret openstack/given"}
			if got := censor.Passed; c.passed && !slices.Equal(got, want) || !c.passed && len(got) > 0 {
				t.Errorf("it does not look for %q", got)
			}
		})
	}
}

// What no Secret has any more is known by its look: private keys, and passwords in URLs.
func TestWhatIsTakenOutByItsLook(t *testing.T) {
	const key, password = "(taken out: private key)", "(taken out: password of a URL)"
	for name, c := range map[string]struct{ text, want, told string }{
		"key": {"a\n" + pem + "b", "a\n-----BEGIN PRIVATE KEY-----" + key + "-----END PRIVATE KEY-----\nb",
			"private key in log"},
		"in JSON": {`{"k":"` + strings.ReplaceAll(pem, "\n", `\n`) + `"}`,
			`{"k":"-----BEGIN PRIVATE KEY-----` + key + `-----END PRIVATE KEY-----\n"}`, "private key in log"},
		"of RSA, in a log": {"1s " + strings.NewReplacer("PRIVATE", "RSA PRIVATE", "\n", "\n1s ").Replace(pem),
			"1s -----BEGIN RSA PRIVATE KEY-----" + key + "-----END RSA PRIVATE KEY-----\n1s ", "private key in log"},
		"certificate":   {cert, cert, ""},
		"how keys look": {"-----BEGIN PRIVATE KEY-----\n...\n-----END PRIVATE KEY-----", "", ""},
		"database": {"to mysql+pymysql://nova:0ld!pw@db:3306/nova", "to mysql+pymysql://nova:" + password + "@db:3306/nova",
			"password of a URL in log"},
		"bus": {"rabbit://a:one-1@h1:5672,a:two-2@h2:5672/v", "rabbit://a:" + password + "@h1:5672,a:" + password +
			"@h2:5672/v", "password of a URL in log"},
		"two lines": {"http://a:b1@c\nhttp://d:e1@f\n", "http://a:" + password + "@c\nhttp://d:" + password + "@f\n",
			"password of a URL in log"},
		"encoded":     {"http://a:%2Fb@c", "http://a:" + password + "@c", "password of a URL in log"},
		"masked":      {"mysql://nova:***@db http://a:xxxxx@b", "", ""},
		"placeholder": {"http://a:%(password)s@b http://a:${PASSWORD}@b http://a:$PASSWORD@b http://a:<password>@b", "", ""},
		"image":       {"docker://mariadb:11.4@sha256:0123 a,b:1@sha256:0123", "", ""},
		"user":        {"ssh://git@host:22/x qemu+ssh://nova@host/system a@b.example.org", "", ""},
		"known": {"mysql://nova:k9#p!-now@db", "mysql://nova:(taken out: key password of Secret openstack/given)@db",
			"key password of Secret openstack/given in log"},
	} {
		t.Run(name, func(t *testing.T) {
			censor := of(t, secret("openstack", "given", "password", "k9#p!-now"))
			want := cmp.Or(c.want, c.text)
			if got := string(censor.Clean("log", []byte(c.text))); got != want {
				t.Errorf("the text is\n%s\nwant\n%s", got, want)
			}
			if got := strings.Join(censor.Told(), ", "); got != c.told {
				t.Errorf("it tells %q, want %q", got, c.told)
			}
		})
	}
}

// Of a key that a Secret has nothing stays, and it is told once.
func TestKeysAreTakenOutWhole(t *testing.T) {
	const last = "c2hvcnQ="
	whole := strings.Replace(pem, pemLine+"\n", pemLine+"\n"+last+"\n", 1)
	censor := of(t, secret("openstack", "given", "tls.key", whole))
	const of = "key tls.key of Secret openstack/given"
	if got := string(censor.Clean("log", []byte(whole))); got != "-----BEGIN PRIVATE KEY-----(taken out: "+of+
		")-----END PRIVATE KEY-----\n" {
		t.Errorf("the text is\n%s", got)
	}
	if told := censor.Told(); !slices.Equal(told, []string{of + " in log"}) {
		t.Errorf("it tells %q", told)
	}
}

// Secrets of all namespaces count, however many there are. What has several places is told by the first, and of values
// that begin alike nothing stays.
func TestManySecrets(t *testing.T) {
	var secrets []corev1.Secret
	for i := range 9 {
		secrets = append(secrets, secret("away", "s"+strconv.Itoa(i), "password", "abcd1234"+strings.Repeat("x", i)))
	}
	secrets = append(secrets, secret("openstack", "clouds", "clouds.yaml", "{auth: {password: abcd1234}}"),
		secret("elsewhere", "other", "password", "not-looked-for"))
	c := of(t, secrets...)
	got := string(c.Clean("log", []byte("a abcd1234xxxxxxxx abcd1234\\nabcd1234x not-looked-for")))
	const want = "a (taken out: key password of Secret away/s8) (taken out: key password of Secret away/s0)\\n" +
		"(taken out: key password of Secret away/s1) not-looked-for"
	if got != want {
		t.Errorf("the text is\n%s, want\n%s", got, want)
	}
}

func FuzzClean(f *testing.F) {
	f.Add("password", "hunter2", "log in with hunter2")
	f.Add("a.conf", "[a]\nkey=\n", "")
	f.Fuzz(func(t *testing.T, key, value, text string) {
		of(t, secret("openstack", "given", key, value)).Clean("log", []byte(text))
	})
}
