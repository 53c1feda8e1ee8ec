package openstack

import (
	"bytes"
	"crypto/tls"
	"encoding/pem"
	"fmt"
	"io"
	"log"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/common/expfmt"
)

// gathered is all metrics as they are exported.
func gathered(t *testing.T, r *prometheus.Registry) string {
	t.Helper()
	families, err := r.Gather()
	if err != nil {
		t.Fatal(err)
	}
	var b bytes.Buffer
	for _, f := range families {
		if _, err := expfmt.MetricFamilyToText(&b, f); err != nil {
			t.Fatal(err)
		}
	}
	return b.String()
}

// A service that echoes all it gets, in an error, in each way there is.
func TestSecretsStayInside(t *testing.T) {
	c := newCloud("")
	serve(t, c)
	c.answer(func(w http.ResponseWriter, r *http.Request) {
		b, _ := io.ReadAll(r.Body)
		w.WriteHeader(http.StatusBadRequest)
		fmt.Fprintf(w, `{"badRequest": {"message": %q}}`, "token "+r.Header.Get("X-Auth-Token")+" body "+string(b))
	})
	registry := prometheus.NewRegistry()
	p := NewPool(Options{Registerer: registry})
	t.Cleanup(p.Close)
	var logs bytes.Buffer
	log.SetOutput(&logs)
	t.Cleanup(func() { log.SetOutput(io.Discard) })
	s := open(t, p, c.config("alice"))
	_, err := s.Do(t.Context(), Request{Service: "identity", Method: "POST", Path: "users",
		Body: map[string]any{"user": map[string]string{"name": "bob", "password": "of-the-new-user", "note": password}}})
	wants(t, err, Invalid, "token ***", "bob")
	all := fmt.Sprintf("%v %+v %#v", err, err, err) + Outcome(err).Error() + gathered(t, registry) + logs.String()
	for _, secret := range []string{password, "gAAAA", "of-the-new-user"} {
		if strings.Contains(all, secret) {
			t.Errorf("%q got out:\n%s", secret, all)
		}
	}
}

func TestMetrics(t *testing.T) {
	c := newCloud("")
	serve(t, c)
	registry := prometheus.NewRegistry()
	p := NewPool(Options{Registerer: registry})
	s := open(t, p, c.config("alice"))
	for range 3 {
		if _, err := s.Do(t.Context(), Request{Service: "volumev3", Path: "volumes", Lane: Drift}); err != nil {
			t.Fatal(err)
		}
	}
	c.answer(status(503, ""))
	for range breakAfter + 3 {
		_, err := s.Do(t.Context(), Request{Service: "network", Method: "DELETE", Path: "ports/1"})
		wants(t, err, Unavailable)
	}
	got := gathered(t, registry)
	for _, want := range []string{
		`authentications_total{cloud="HOST",result="ok"} 1`,
		`requests_total{cloud="HOST",code="2xx",method="GET",service="block-storage"} 3`,
		`requests_total{cloud="HOST",code="5xx",method="DELETE",service="network"} 5`,
		`request_seconds_count{cloud="HOST",method="GET",service="block-storage"} 3`,
		`queue_seconds_count{cloud="HOST",lane="drift",service="block-storage"} 3`,
		`breaker_open{cloud="HOST",service="network"} 1`,
		`breaker_open{cloud="HOST",service="block-storage"} 0`,
	} {
		if want = "stackwright_openstack_" + strings.Replace(want, "HOST", c.host, 1); !strings.Contains(got, want) {
			t.Errorf("there is no %s in\n%s", want, got)
		}
	}
	s.Close()
	if got := gathered(t, registry); strings.Contains(got, c.host) {
		t.Errorf("a cloud without sessions still has series:\n%s", got)
	}
}

// serveTLS runs a cloud with a certificate of its own and returns its CA.
func serveTLS(t *testing.T, c *cloud) (ca []byte) {
	t.Helper()
	s := httptest.NewUnstartedServer(c)
	s.Config.ErrorLog = log.New(io.Discard, "", 0)
	s.TLS = &tls.Config{MinVersion: tls.VersionTLS12}
	s.StartTLS()
	t.Cleanup(s.Close)
	c.host = strings.TrimPrefix(s.URL, "https://")
	return pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: s.Certificate().Raw})
}

func secure(c *cloud) Config {
	config := c.config("alice")
	config.Clouds = bytes.Replace(config.Clouds, []byte("http:"), []byte("https:"), 1)
	return config
}

func TestCertificates(t *testing.T) {
	c := newCloud("")
	ca := serveTLS(t, c)
	c.catalog = func() any { return []any{offerOf("compute", "RegionOne", "https://"+c.host+"/compute")} }
	p := NewPool(Options{})
	t.Cleanup(p.Close)
	config := secure(c)
	config.CA = ca
	s := open(t, p, config)
	if _, err := s.Do(t.Context(), get); err != nil {
		t.Error(err)
	}
	for i := range breakAfter + 2 {
		// Certificates that one tenant does not trust must not open the breaker of others. Either side may be mended: a
		// control plane that is made again has a new authority before all know it.
		_, err := p.Open(t.Context(), fmt.Sprint("ns/", i), secure(c))
		wants(t, err, Unavailable, "signed by nobody who is trusted", "give its CA")
	}
	if _, err := p.Open(t.Context(), "ns/other", config); err != nil {
		t.Error(err)
	}
	config.CA = []byte("no certificate")
	_, err := p.Open(t.Context(), "ns/secret", config)
	wants(t, err, Invalid, "CA", "PEM")
	config = secure(c)
	config.CA = ca
	config.Clouds = bytes.Replace(config.Clouds, []byte("127.0.0.1"), []byte("localhost"), 1)
	_, err = p.Open(t.Context(), "ns/secret", config)
	wants(t, err, Unavailable, "it is for other names")
}

func TestUnverifiedCertificates(t *testing.T) {
	c := newCloud("")
	serveTLS(t, c)
	config := secure(c)
	config.Clouds = bytes.Replace(config.Clouds, []byte("    auth:"), []byte("    verify: false\n    auth:"), 1)
	_, err := NewPool(Options{}).Open(t.Context(), "ns/secret", config)
	wants(t, err, Invalid, "verify: false")
	p := NewPool(Options{AllowInsecure: true})
	t.Cleanup(p.Close)
	open(t, p, config)
	if _, err = p.Open(t.Context(), "ns/secret", secure(c)); ClassOf(err) != Unavailable {
		t.Errorf("a session that verifies shares the transport of one that does not: %v", err)
	}
}

func TestNotFoundOfSomethingElse(t *testing.T) {
	c := newCloud("")
	serve(t, c)
	p := NewPool(Options{})
	t.Cleanup(p.Close)
	s := open(t, p, c.config("alice"))
	c.answer(status(404, `{"itemNotFound": {"message": "Instance 1 could not be found."}}`))
	_, err := s.Do(t.Context(), Request{Service: "compute", Path: "servers/1"})
	wants(t, err, NotFound, "Instance 1 could not be found")
	c.answer(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Del("X-Openstack-Request-Id")
		status(404, "default backend - 404", "Content-Type", "text/plain; charset=utf-8")(w, r)
	})
	for range breakAfter + 2 {
		_, err = s.Do(t.Context(), Request{Service: "compute", Path: "servers/1"})
		wants(t, err, Unavailable, "with 404", "no OpenStack service answers")
	}
}
