package cli

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	authorizationv1 "k8s.io/api/authorization/v1"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"
	utilyaml "k8s.io/apimachinery/pkg/util/yaml"
	clientgoscheme "k8s.io/client-go/kubernetes/scheme"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/yaml"

	"stackwright.dev/kit/kittest/apiserver"

	"stackwright.dev/stackwright/internal/cli/install"
	"stackwright.dev/stackwright/internal/operator"
)

// world is a cluster behind a socket, with the kubeconfig that leads to it, and a home folder of its own.
type world struct {
	t          *testing.T
	kubeconfig string
	state      string
	client     client.Client
	// server is the cluster; nil when it is a real one.
	server *apiserver.Server
	// outside is the cloud, writes counts the requests that changed objects.
	outside http.RoundTripper
	writes  atomic.Int64
	// forbids refuses requests, as for somebody without rights. It may be nil.
	forbids func(*http.Request) bool
	// lists tells which resources the operator may list, and you may make; nil knows nothing of rights.
	lists func(resource string) bool
	// version is what the cluster says of itself; empty for that of the server.
	version string
}

var template = sync.OnceValues(func() (*apiserver.Server, error) {
	files, err := install.CRDs()
	if err != nil {
		return nil, err
	}
	var crds []*apiextensionsv1.CustomResourceDefinition
	for _, text := range files {
		crd := &apiextensionsv1.CustomResourceDefinition{}
		if err := yaml.Unmarshal(text, crd); err != nil {
			return nil, err
		}
		crds = append(crds, crd)
	}
	return apiserver.New(crds...)
})

// newWorld has the objects of files.
func newWorld(t *testing.T, files ...string) *world {
	t.Helper()
	base, err := template()
	must(t, err)
	server := base.Fresh()
	w := &world{t: t, state: t.TempDir(), server: server}
	socket := httptest.NewServer(http.HandlerFunc(func(answer http.ResponseWriter, r *http.Request) {
		if r.Method != http.MethodGet {
			w.writes.Add(1)
		}
		if w.forbids != nil && w.forbids(r) {
			answer.Header().Set("Content-Type", "application/json")
			answer.WriteHeader(http.StatusForbidden)
			fmt.Fprint(answer, `{"kind":"Status","apiVersion":"v1","status":"Failure","reason":"Forbidden","code":403,`+
				`"message":"not allowed"}`)
			return
		}
		if w.lists != nil && strings.HasPrefix(r.URL.Path, "/apis/authorization.k8s.io/v1") {
			w.review(answer, r)
			return
		}
		if w.version != "" && r.URL.Path == "/version" {
			fmt.Fprintf(answer, `{"gitVersion":%q}`, w.version)
			return
		}
		server.ServeHTTP(answer, r)
	}))
	t.Cleanup(socket.Close)
	w.kubeconfig = kubeconfig(t, socket.URL)
	home(t, w.state)
	w.client, err = client.New(server.Config(), client.Options{Scheme: operator.Scheme()})
	must(t, err)
	for _, f := range files {
		w.load(f)
	}
	return w
}

// review answers what the operator may do, and what you may.
func (w *world) review(answer http.ResponseWriter, r *http.Request) {
	answer.Header().Set("Content-Type", "application/json")
	if r.Method == http.MethodGet {
		fmt.Fprint(answer, `{"kind": "APIResourceList", "apiVersion": "v1", "groupVersion": "authorization.k8s.io/v1",
			"resources": [{"name": "subjectaccessreviews", "singularName": "", "namespaced": false,
			"kind": "SubjectAccessReview", "verbs": ["create"]}, {"name": "selfsubjectaccessreviews", "singularName": "",
			"namespaced": false, "kind": "SelfSubjectAccessReview", "verbs": ["create"]}]}`)
		return
	}
	raw, err := io.ReadAll(r.Body)
	must(w.t, err)
	o, kind, err := clientgoscheme.Codecs.UniversalDeserializer().Decode(raw, nil, nil)
	must(w.t, err)
	switch review := o.(type) {
	case *authorizationv1.SubjectAccessReview:
		review.Status.Allowed = review.Spec.User == "system:serviceaccount:openstack:operator" &&
			review.Spec.ResourceAttributes.Verb == "list" && w.lists(review.Spec.ResourceAttributes.Resource)
	case *authorizationv1.SelfSubjectAccessReview:
		review.Status.Allowed = w.lists(review.Spec.ResourceAttributes.Resource)
	}
	o.GetObjectKind().SetGroupVersionKind(*kind)
	must(w.t, json.NewEncoder(answer).Encode(o))
}

// home keeps the test away from the files of whoever runs it.
func home(t *testing.T, state string) {
	t.Helper()
	t.Setenv("XDG_STATE_HOME", state)
	t.Setenv("HOME", t.TempDir())
	t.Setenv("KUBECONFIG", "")
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func kubeconfig(t *testing.T, url string) string {
	t.Helper()
	file := filepath.Join(t.TempDir(), "config")
	must(t, os.WriteFile(file, fmt.Appendf(nil, `apiVersion: v1
kind: Config
current-context: test
clusters: [{name: test, cluster: {server: %q}}]
users: [{name: test, user: {}}]
contexts: [{name: test, context: {cluster: test, user: test}}]
`, url), 0o600))
	return file
}

// load makes the objects of a file, with their status.
func (w *world) load(file string) {
	w.t.Helper()
	text, err := os.ReadFile(file)
	must(w.t, err)
	docs := utilyaml.NewYAMLReader(bufio.NewReader(bytes.NewReader(text)))
	for {
		doc, err := docs.Read()
		if errors.Is(err, io.EOF) {
			return
		}
		must(w.t, err)
		u := &unstructured.Unstructured{}
		must(w.t, yaml.Unmarshal(doc, &u.Object))
		status := u.Object["status"]
		must(w.t, w.client.Create(w.t.Context(), u))
		if status != nil {
			u.Object["status"] = status
			must(w.t, w.client.Status().Update(w.t.Context(), u))
		}
	}
}

// status merges into the status of an object of ours.
func (w *world) status(kind, name, patch string) {
	w.t.Helper()
	u := &unstructured.Unstructured{}
	for gvk := range operator.Scheme().AllKnownTypes() {
		if gvk.Kind == kind && gvk.Version != "__internal" {
			u.SetGroupVersionKind(gvk)
		}
	}
	u.SetNamespace("openstack")
	u.SetName(name)
	must(w.t, w.client.Status().Patch(w.t.Context(), u, client.RawPatch(types.MergePatchType,
		[]byte(`{"status":`+patch+`}`))))
}

// result is what a command line came to.
type result struct {
	code     int
	out, err string
}

// run executes a command line on the world's cluster.
func (w *world) run(args ...string) result {
	w.t.Helper()
	return runApp(w.t, &app{in: strings.NewReader(""), outside: w.outside}, append(args, "--kubeconfig", w.kubeconfig)...)
}

func run(t *testing.T, stdin string, args ...string) result {
	t.Helper()
	return runApp(t, &app{in: strings.NewReader(stdin)}, args...)
}

func runApp(t *testing.T, a *app, args ...string) result {
	t.Helper()
	var out, errs bytes.Buffer
	a.out, a.err = &out, &errs
	code := a.run(t.Context(), "stackwright", args)
	return result{code, out.String(), errs.String()}
}

// want fails unless the command ended with that code and said all of the texts.
func (r result) want(t *testing.T, code int, texts ...string) result {
	t.Helper()
	if r.code != code {
		t.Errorf("the exit code is %d, want %d\n%s%s", r.code, code, r.out, r.err)
	}
	for _, text := range texts {
		if !strings.Contains(r.out+r.err, text) {
			t.Errorf("nothing says %q:\n%s%s", text, r.out, r.err)
		}
	}
	return r
}
