package command

import (
	"crypto/tls"
	"fmt"
	"io"
	"log"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-containerregistry/pkg/registry"

	"stackwright.dev/stackwright/internal/pki"
)

// asProgram in the environment makes the test itself the program "images" with these arguments: authorities are read
// once by a process.
const asProgram = "STACKWRIGHT_TEST_IMAGES"

func TestMain(m *testing.M) {
	args := os.Getenv(asProgram)
	if args == "" {
		os.Exit(m.Run())
	}
	cmd := Command()
	cmd.SetArgs(strings.Fields(args))
	if cmd.Execute() != nil {
		os.Exit(1)
	}
}

// push runs the program with that environment, and nobody's own files. It returns all that it says.
func (b *bench) push(t *testing.T, target string, environment ...string) (string, error) {
	t.Helper()
	program, err := os.Executable()
	must(t, err)
	cmd := exec.CommandContext(t.Context(), program)
	cmd.Env = append([]string{"HOME=" + t.TempDir(),
		fmt.Sprintf("%s=--data %s --cache %s --release r push %s", asProgram, b.data, b.cache, target)}, environment...)
	out, err := cmd.CombinedOutput()
	return string(out), err
}

// serve starts a registry behind a door, under a certificate, or without TLS when that is nil.
func serve(t *testing.T, certificate *tls.Certificate, door func(http.Handler) http.Handler) (address string) {
	t.Helper()
	quiet := log.New(io.Discard, "", 0)
	server := httptest.NewUnstartedServer(door(registry.New(registry.Logger(quiet))))
	server.Config.ErrorLog = quiet
	if certificate == nil {
		server.Start()
	} else {
		server.TLS = &tls.Config{Certificates: []tls.Certificate{*certificate}}
		server.StartTLS()
	}
	t.Cleanup(server.Close)
	return server.Listener.Addr().String()
}

// authority makes a CA, of which it writes the file, and a certificate of this machine under it.
func authority(t *testing.T) (file string, leaf *tls.Certificate) {
	t.Helper()
	ca, err := pki.NewCA("registries", time.Now())
	must(t, err)
	own, err := pki.Issue(ca, pki.Request{Names: []string{"127.0.0.1"}}, time.Now())
	must(t, err)
	file = filepath.Join(t.TempDir(), "ca.crt")
	must(t, os.WriteFile(file, ca.Cert, 0o600))
	certificate, err := tls.X509KeyPair(own.Cert, own.Key)
	must(t, err)
	return file, &certificate
}

func open(next http.Handler) http.Handler { return next }

// locked lets in who has the password. It answers others with a status.
func locked(status int) func(http.Handler) http.Handler {
	return func(next http.Handler) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if user, password, _ := r.BasicAuth(); user == "anna" && password == "secret" {
				next.ServeHTTP(w, r)
				return
			}
			w.Header().Set("WWW-Authenticate", `Basic realm="images"`)
			w.WriteHeader(status)
		})
	}
}

// login is the variable that leads to a file of docker's with a password for a registry.
func login(t *testing.T, registry, password string) string {
	t.Helper()
	dir := t.TempDir()
	text := fmt.Sprintf(`{"auths": {%q: {"username": "anna", "password": %q}}}`, registry, password)
	must(t, os.WriteFile(filepath.Join(dir, "config.json"), []byte(text), 0o600))
	return "DOCKER_CONFIG=" + dir
}

// A registry may have a CA of its own and ask for a password. Who is refused is told what to do.
func TestPushToARegistryOfSomebody(t *testing.T) {
	b := newBench(t)
	b.must(t, "build")
	ca, leaf := authority(t)
	other, _ := authority(t)
	ask, refuse := locked(http.StatusUnauthorized), locked(http.StatusForbidden)
	for name, c := range map[string]struct {
		certificate  *tls.Certificate
		door         func(http.Handler) http.Handler
		ca, password string
		want         string
	}{
		"its CA is given":     {leaf, open, ca, "", ""},
		"no CA is given":      {leaf, open, "", "", "; give the file with the CA of %s as SSL_CERT_FILE"},
		"another CA is given": {leaf, open, other, "", "; give the file with the CA of %s as SSL_CERT_FILE"},
		"password":            {nil, ask, "", "secret", ""},
		"CA and password":     {leaf, ask, ca, "secret", ""},
		"no password":         {nil, ask, "", "", "; log in with docker login %s, or podman login"},
		"wrong password":      {nil, ask, "", "x", "; log in with docker login %s, or podman login"},
		"may not push":        {nil, refuse, "", "x", "; log in to %s as somebody who may push there"},
	} {
		t.Run(name, func(t *testing.T) {
			host := serve(t, c.certificate, c.door)
			var environment []string
			if c.ca != "" {
				environment = append(environment, "SSL_CERT_FILE="+c.ca)
			}
			if c.password != "" {
				environment = append(environment, login(t, host, c.password))
			}
			out, err := b.push(t, host+"/team", environment...)
			if c.want == "" && (err != nil || !strings.HasPrefix(out, host+"/team/tool:r-")) {
				t.Errorf("it is not pushed: %v\n%s", err, out)
			}
			if want := strings.ReplaceAll(c.want, "%s", host); want != "" && (err == nil || !strings.Contains(out, want)) {
				t.Errorf("it says %q (%v), want %q", out, err, want)
			}
		})
	}
}
