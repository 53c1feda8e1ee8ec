package operator

import (
	"io"
	"net/http"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"stackwright.dev/kit/kittest/apiserver"
)

// refuses answers 403 to requests that end so.
type refuses struct {
	http.RoundTripper
	end string
}

func (f refuses) RoundTrip(r *http.Request) (*http.Response, error) {
	if !strings.HasSuffix(r.URL.Path, f.end) {
		return f.RoundTripper.RoundTrip(r)
	}
	body := `{"kind": "Status", "apiVersion": "v1", "status": "Failure", "reason": "Forbidden", "code": 403}`
	return &http.Response{StatusCode: http.StatusForbidden, Header: http.Header{"Content-Type": {"application/json"}},
		Body: io.NopCloser(strings.NewReader(body)), Request: r}, nil
}

// A cluster is named by its namespace kube-system, and by nothing where that is not to be seen.
func TestIdentity(t *testing.T) {
	api, err := apiserver.New()
	if err != nil {
		t.Fatal(err)
	}
	if id, err := identity(api.Config()); id != "" || err != nil {
		t.Errorf("a cluster without kube-system is named %q, %v", id, err)
	}
	c, err := client.New(api.Config(), client.Options{})
	if err != nil {
		t.Fatal(err)
	}
	system := &corev1.Namespace{}
	system.Name = "kube-system"
	if err := c.Create(t.Context(), system); err != nil {
		t.Fatal(err)
	}
	id, err := identity(api.Config())
	if len(id) != 8 || !strings.HasPrefix(string(system.UID), id) || err != nil {
		t.Errorf("the cluster whose kube-system is %s is named %q, %v", system.UID, id, err)
	}
	cfg := api.Config()
	cfg.Transport = refuses{cfg.Transport, "/namespaces/kube-system"}
	if id, err := identity(cfg); id != "" || err != nil {
		t.Errorf("without the right to see it the cluster is named %q, %v", id, err)
	}
}
