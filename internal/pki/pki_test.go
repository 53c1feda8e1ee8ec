package pki

import (
	"crypto/tls"
	"crypto/x509"
	"encoding/pem"
	"errors"
	"maps"
	"net"
	"strings"
	"testing"
	"time"
)

var epoch = time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)

func must[T any](t *testing.T) func(v T, err error) T {
	t.Helper()
	return func(v T, err error) T {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		return v
	}
}

func TestIssueIsTrustedForItsNames(t *testing.T) {
	ca := must[Pair](t)(NewCA("test", epoch))
	p := must[Pair](t)(Issue(ca, Request{CommonName: "a", Names: []string{"*.pods.ns.svc", "127.0.0.1"}}, epoch))
	cert, _, err := p.Parse()
	if err != nil {
		t.Fatal(err)
	}
	roots := must[*x509.CertPool](t)(Pool(p.CA))
	for name, want := range map[string]bool{"a-0.pods.ns.svc": true, "127.0.0.1": true, "b.ns.svc": false} {
		_, err := cert.Verify(x509.VerifyOptions{DNSName: name, Roots: roots, CurrentTime: epoch})
		if (err == nil) != want {
			t.Errorf("%s: trusted is %v, want %v (%v)", name, err == nil, want, err)
		}
	}
	if got := cert.NotAfter.Sub(epoch); got != LeafLifetime {
		t.Errorf("lifetime is %s, want %s", got, LeafLifetime)
	}
}

func TestIssueDoesNotOutliveTheCA(t *testing.T) {
	ca := must[Pair](t)(NewCA("test", epoch))
	cert, _, _ := must[Pair](t)(Issue(ca, Request{CommonName: "a"}, epoch.Add(CALifetime-time.Hour))).Parse()
	root, _, _ := ca.Parse()
	if cert.NotAfter.After(root.NotAfter) {
		t.Errorf("the certificate ends at %s, after its CA at %s", cert.NotAfter, root.NotAfter)
	}
}

func TestParseTellsWhatIsWrong(t *testing.T) {
	a, b := must[Pair](t)(NewCA("a", epoch)), must[Pair](t)(NewCA("b", epoch))
	cases := map[string]struct {
		pair Pair
		want string
	}{
		"no certificate": {Pair{Key: a.Key}, "tls.crt: no PEM certificate"},
		"no key":         {Pair{Cert: a.Cert}, "tls.key: no PEM private key"},
		"another block":  {Pair{Cert: a.Cert, Key: a.Cert}, "tls.key: no PEM private key"},
		"garbage key": {Pair{Cert: a.Cert, Key: pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY"})},
			"neither PKCS #8"},
		"another's key": {Pair{Cert: a.Cert, Key: b.Key}, "does not belong"},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			_, _, err := c.pair.Parse()
			if err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("got %v, want something with %q", err, c.want)
			}
		})
	}
}

// openssl ecparam -genkey writes the curve before the key, and servers take that.
func TestParseTakesAKeyAfterItsCurve(t *testing.T) {
	p := must[Pair](t)(NewCA("a", epoch))
	p.Key = append(pem.EncodeToMemory(&pem.Block{Type: "EC PARAMETERS", Bytes: []byte("curve")}), p.Key...)
	if _, _, err := p.Parse(); err != nil {
		t.Error(err)
	}
}

func TestRenewCAKeepsWhatItSigned(t *testing.T) {
	first, next, err := renewCA("test", nil, epoch)
	if err != nil {
		t.Fatal(err)
	}
	have := map[string][]byte{CertKey: first.Cert, KeyKey: first.Key}
	kept, _, err := renewCA("test", have, epoch.Add(time.Hour))
	if err != nil || string(kept.Cert) != string(first.Cert) {
		t.Errorf("a good CA was not kept: %v", err)
	}
	leaf := must[Pair](t)(Issue(first, Request{CommonName: "leaf"}, epoch.Add(next)))
	renewed, _, err := renewCA("test", have, epoch.Add(next+time.Hour))
	if err != nil || string(renewed.Cert) == string(first.Cert) {
		t.Fatalf("the CA was not renewed after two thirds of its life: %v", err)
	}
	cert, _, _ := leaf.Parse()
	roots := must[*x509.CertPool](t)(Pool(renewed.Cert))
	if _, err := cert.Verify(x509.VerifyOptions{Roots: roots, CurrentTime: epoch.Add(next + time.Hour)}); err != nil {
		t.Errorf("the renewed CA does not cover what the old one signed: %v", err)
	}
}

func TestRenewLeaf(t *testing.T) {
	ca := must[Pair](t)(NewCA("test", epoch))
	r := Request{CommonName: "db", Names: []string{"db.ns.svc", "db"}}
	have, next, err := renewLeaf(ca, r, nil, epoch)
	if err != nil || next <= LeafLifetime/2 || next >= LeafLifetime {
		t.Fatalf("next is %s, err %v", next, err)
	}
	cases := map[string]struct {
		request Request
		at      time.Duration
		breaks  string
		kept    bool
	}{
		"good":           {request: r, at: time.Hour, kept: true},
		"two thirds":     {request: r, at: next + time.Hour},
		"expired":        {request: r, at: LeafLifetime + time.Hour},
		"another name":   {request: Request{CommonName: "db", Names: []string{"db2"}}, at: time.Hour},
		"another role":   {request: Request{CommonName: "x", Names: r.Names}, at: time.Hour},
		"malformed key":  {request: r, at: time.Hour, breaks: KeyKey},
		"malformed cert": {request: r, at: time.Hour, breaks: CertKey},
		"malformed ca":   {request: r, at: time.Hour, breaks: CAKey},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			in := map[string][]byte{}
			maps.Copy(in, have)
			if c.breaks != "" {
				in[c.breaks] = []byte("broken")
			}
			got, _, err := renewLeaf(ca, c.request, in, epoch.Add(c.at))
			if err != nil {
				t.Fatal(err)
			}
			if kept := string(got[CertKey]) == string(have[CertKey]); kept != c.kept {
				t.Errorf("kept is %v, want %v", kept, c.kept)
			}
			pair := Pair{Cert: got[CertKey], Key: got[KeyKey], CA: got[CAKey]}
			if cert := valid(pair, epoch.Add(c.at)); cert == nil || !good(cert, c.request) {
				t.Error("the result is not usable")
			}
		})
	}
}

// While a CA is replaced, a member that has read any version of the Secret must trust one that has read the version
// before or after it; also when the certificate gets a name at any time of it, such as a load balancer's address.
func TestReplacedCAHasNoOutage(t *testing.T) {
	for name, at := range map[string]int{"the same names": 99, "a name with the CA": 0, "a name while both are trusted": 1,
		"a name after the certificate": 2} {
		t.Run(name, func(t *testing.T) {
			versions, now := replaceCA(t, at)
			for i := 1; i < len(versions); i++ {
				for _, pair := range [][2]int{{i - 1, i}, {i, i - 1}} {
					if err := handshake(t, versions[pair[0]], versions[pair[1]], now.Add(-2*time.Hour)); err != nil {
						t.Errorf("server with version %d and client with version %d: %v", pair[0], pair[1], err)
					}
				}
			}
			if want := map[int]int{2: 5}[at]; len(versions) != max(want, 4) {
				t.Errorf("the change took %d versions, want 4: old, both trusted, new certificate, old dropped", len(versions))
			}
		})
	}
}

// replaceCA returns all versions of a Secret whose CA is replaced, and whose certificate is to have one more name from
// run at on, and the time when nothing is left to do.
func replaceCA(t *testing.T, at int) ([]map[string][]byte, time.Time) {
	t.Helper()
	r := Request{CommonName: "db", Names: []string{"127.0.0.1"}}
	old, fresh := must[Pair](t)(NewCA("old", epoch)), must[Pair](t)(NewCA("new", epoch))
	have, _, err := renewLeaf(old, r, nil, epoch)
	if err != nil {
		t.Fatal(err)
	}
	now, versions := epoch.Add(time.Hour), []map[string][]byte{have}
	for i := range 10 {
		if i == at {
			r.Names = append(r.Names, "192.0.2.1")
		}
		got, next, err := renewLeaf(fresh, r, versions[len(versions)-1], now)
		if err != nil {
			t.Fatal(err)
		}
		if string(got[CertKey])+string(got[CAKey]) != string(have[CertKey])+string(have[CAKey]) {
			versions = append(versions, got)
		}
		have, now = got, now.Add(next)
		if next > time.Hour {
			break
		}
	}
	cert := valid(Pair{Cert: have[CertKey], Key: have[KeyKey], CA: have[CAKey]}, now.Add(-2*time.Hour))
	if string(have[CAKey]) != string(fresh.Cert) || cert == nil || !good(cert, r) {
		t.Error("in the end the old CA is still trusted, or the certificate has not all names")
	}
	return versions, now
}

func handshake(t *testing.T, server, client map[string][]byte, now time.Time) error {
	t.Helper()
	config := func(m map[string][]byte) *tls.Config {
		pair := must[tls.Certificate](t)(tls.X509KeyPair(m[CertKey], m[KeyKey]))
		pool := must[*x509.CertPool](t)(Pool(m[CAKey]))
		return &tls.Config{Certificates: []tls.Certificate{pair}, RootCAs: pool, ClientCAs: pool, ServerName: "127.0.0.1",
			ClientAuth: tls.RequireAndVerifyClientCert, Time: func() time.Time { return now }, MinVersion: tls.VersionTLS13}
	}
	listener := must[net.Listener](t)(net.Listen("tcp", "127.0.0.1:0"))
	defer func() { _ = listener.Close() }()
	result := make(chan error, 1)
	go func() {
		a, err := listener.Accept()
		if err == nil {
			defer func() { _ = a.Close() }()
			err = tls.Server(a, config(server)).Handshake()
		}
		result <- err
	}()
	b := must[net.Conn](t)(net.Dial("tcp", listener.Addr().String()))
	defer func() { _ = b.Close() }()
	err := tls.Client(b, config(client)).Handshake()
	return errors.Join(err, <-result)
}

func TestRenewAgent(t *testing.T) {
	have, next, err := renewAgent("g-agent", []string{"*.g-pods.ns.svc"}, nil, epoch)
	if err != nil {
		t.Fatal(err)
	}
	same, _, err := renewAgent("g-agent", []string{"*.g-pods.ns.svc"}, have, epoch.Add(time.Hour))
	if err != nil {
		t.Fatal(err)
	}
	later, _, err := renewAgent("g-agent", []string{"*.g-pods.ns.svc"}, have, epoch.Add(next+time.Hour))
	if err != nil {
		t.Fatal(err)
	}
	for _, k := range []string{CAKey, AgentCAKey, AgentServerCert, AgentServerKey, AgentClientCert, AgentClientKey} {
		if len(have[k]) == 0 || string(same[k]) != string(have[k]) {
			t.Errorf("%s is empty or was not kept", k)
		}
	}
	if string(later[AgentServerCert]) == string(have[AgentServerCert]) || string(later[CAKey]) != string(have[CAKey]) {
		t.Error("after two thirds of the leaf's life the pair must change and the CA must stay")
	}
	server := map[string][]byte{CertKey: have[AgentServerCert], KeyKey: have[AgentServerKey], CAKey: have[CAKey]}
	client, _, _ := Pair{Cert: have[AgentClientCert], Key: have[AgentClientKey]}.Parse()
	member, _, _ := Pair{Cert: server[CertKey], Key: server[KeyKey]}.Parse()
	if client.Subject.CommonName != RoleOperator || member.Subject.CommonName != RoleMember {
		t.Errorf("roles are %q and %q", client.Subject.CommonName, member.Subject.CommonName)
	}
}
