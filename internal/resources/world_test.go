package resources_test

import (
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"sigs.k8s.io/yaml"

	"stackwright.dev/kit"
	"stackwright.dev/kit/kittest"

	openstackv1 "stackwright.dev/stackwright/api/openstack/v1alpha1"
	"stackwright.dev/stackwright/internal/openstack"
	"stackwright.dev/stackwright/internal/openstack/fake"
	"stackwright.dev/stackwright/internal/resources"
	"stackwright.dev/stackwright/internal/resources/body"
	d "stackwright.dev/stackwright/internal/resources/descriptor"
	"stackwright.dev/stackwright/internal/resources/fetch/internet"
	"stackwright.dev/stackwright/internal/resources/kinds"
)

const crds = "../../charts/stackwright-operator/crds"

// scheme is made once: each process that a play starts wants it.
var scheme = sync.OnceValue(func() *runtime.Scheme {
	s := runtime.NewScheme()
	for _, add := range []func(*runtime.Scheme) error{corev1.AddToScheme, openstackv1.AddToScheme} {
		if err := add(s); err != nil {
			panic(err)
		}
	}
	return s
})

// world is a fake cloud, and the objects by which a test begins.
type world struct {
	t    *testing.T
	kind *d.Kind
	// seeds fill the fake cloud before anything else.
	seeds []func(*fake.Cloud)
	// object of the kind.
	object  map[string]any
	objects []map[string]any
	secrets map[string]map[string]any
	next    map[string]int
	// fault and quota are what goes wrong.
	fault func(int, *http.Request) fake.Fault
	quota bool
	// hidden keeps the kind out of lists.
	hidden bool
	// remembers lets the cloud show what is gone to those who know the id.
	remembers bool
	// shared makes the cloud a ClusterCloud, everywhere sets its allProjects.
	shared, everywhere bool
	// also is another kind whose objects are kept; nil for none.
	also *d.Kind
	// later leaves the object to the test.
	later bool
	// unseen is a kind that the operator may not list.
	unseen string
	// cluster that the operator is in.
	cluster string
	// limits of the cloud; nil for the usual ones.
	limits map[string]any
	// internet is where data comes from.
	internet *internet.Internet
	// build is how long states are pending, page the longest page of a list.
	build time.Duration
	page  int
	// station is the bus that the cloud notifies over; nil for none.
	station *station
	// registry gets the metrics of the last process that was started; nil for none.
	registry *prometheus.Registry
}

func (w *world) spec() map[string]any {
	spec, _ := w.object["spec"].(map[string]any)
	return spec
}

// seeded is how many resources of a kind are there before anything else.
func (w *world) seeded(kind string) int { return w.next[kind] }

// newWorld declares the sample of a kind. What it refers to by name is there in the cloud already, so that the test is
// about this kind alone.
func newWorld(t *testing.T, k *d.Kind) *world {
	t.Helper()
	w := &world{t: t, kind: k, secrets: map[string]map[string]any{}, next: map[string]int{}, internet: internet.New(),
		cluster: "0a1b2c3d"}
	w.internet.Serve("cloud.debian.org", "203.0.113.7", http.NotFoundHandler()) // for the cloud, which fetches the data
	declared := map[string]any{}
	if err := yaml.Unmarshal([]byte(k.Sample), &declared); err != nil {
		t.Fatal(err)
	}
	w.resolve(k.Fields, declared)
	for n := range 2 {
		w.secrets[fmt.Sprintf("secret-%d", n)] = map[string]any{"value": fmt.Sprintf("c2VjcmV0LXdvcmQt%d", n)}
	}
	w.object = w.make("sample", map[string]any{"resource": declared})
	return w
}

func (w *world) make(name string, spec map[string]any) map[string]any {
	return map[string]any{"apiVersion": openstackv1.GroupVersion.String(), "kind": w.kind.Name,
		"metadata": map[string]any{"name": name, "namespace": "default"}, "spec": spec}
}

// resolve replaces references of a sample by ids of resources that are there, and makes the Secrets.
func (w *world) resolve(fields []d.Field, declared map[string]any) {
	for _, f := range fields {
		v, ok := declared[f.Spec()]
		if !ok {
			continue
		}
		list, isList := v.([]any)
		if !isList {
			list = []any{v}
		}
		for i := range list {
			m, isMap := list[i].(map[string]any)
			ref := body.RefKind(f, fields, declared)
			switch {
			case !isMap, f.Output, f.Type == d.Secret && strings.HasPrefix(fmt.Sprint(m["name"]), "secret-"):
			case ref != "":
				list[i] = map[string]any{"id": w.seed(ref)}
			case f.Type == d.Secret:
				name, _ := m["name"].(string)
				key, _ := m["key"].(string)
				w.secrets[name] = map[string]any{key: `{"access": "a", "secret": "s"}`}
			default:
				w.resolve(f.Fields, m)
			}
		}
		if !isList {
			declared[f.Spec()] = list[0]
		}
	}
}

func (w *world) seed(kind string) string {
	w.next[kind]++
	id := fmt.Sprintf("seed-%s-%d", strings.ToLower(kind), w.next[kind])
	w.seeds = append(w.seeds, func(c *fake.Cloud) { c.Put(kind, map[string]any{"id": id, "name": id}) })
	return id
}

// cloud is a new fake with the seeds in it.
func (w *world) cloud() *fake.Cloud {
	c := fake.New(kinds.Served())
	c.Build, c.Page = w.build, w.page
	for _, s := range w.seeds {
		s(c)
	}
	c.Hidden, c.Remembers = map[string]bool{w.kind.Name: w.hidden}, w.remembers
	c.Fault, c.Twins = w.fault, w.fault != nil
	if w.quota {
		c.SetQuota(w.kind.Name, w.seeded(w.kind.Name))
	}
	if w.station != nil {
		c.Notify = w.station.send
	}
	return c
}

// scenario writes the objects to files and says who reconciles them.
func (w *world) scenario() kittest.Scenario {
	w.t.Helper()
	secrets := map[string]map[string]any{"cloud": {"clouds.yaml": fake.New(nil).CloudsYAML()}}
	maps.Copy(secrets, w.secrets)
	spec := map[string]any{"secretRef": map[string]any{"name": "cloud"}, "syncPeriod": "5m"}
	if w.everywhere {
		spec["allProjects"] = true
	}
	if w.limits != nil {
		spec["limits"] = w.limits
	}
	if w.station != nil {
		spec["notifications"] = map[string]any{"secretRef": map[string]any{"name": "bus"}}
		secrets["bus"] = map[string]any{"transport_url": w.station.url()}
	}
	docs := []map[string]any{
		{"apiVersion": "v1", "kind": "Namespace", "metadata": map[string]any{"name": "default"}},
		{"apiVersion": openstackv1.GroupVersion.String(), "kind": "Cloud", "metadata": map[string]any{
			"name": "default", "namespace": "default"}, "spec": spec},
	}
	if w.shared {
		spec["secretRef"] = map[string]any{"name": "cloud", "namespace": "default"}
		spec["namespaceSelector"] = map[string]any{}
		docs[1]["kind"], docs[1]["metadata"] = "ClusterCloud", map[string]any{"name": "default"}
	}
	for name, data := range secrets {
		encoded := map[string]any{}
		for key, v := range data {
			encoded[key] = base64.StdEncoding.EncodeToString([]byte(fmt.Sprint(v)))
		}
		docs = append(docs, map[string]any{"apiVersion": "v1", "kind": "Secret", "metadata": map[string]any{
			"name": name, "namespace": "default"}, "data": encoded})
	}
	docs = append(docs, w.objects...)
	if !w.later {
		docs = append(docs, w.object)
	}
	if w.shared {
		// The first owner is the one by whose namespace a play looks for others.
		docs = append(append(docs[:1:1], docs[2:]...), docs[1])
	}
	var files []string
	for i, doc := range docs {
		raw, err := json.Marshal(doc)
		if err != nil {
			w.t.Fatal(err)
		}
		file := filepath.Join(w.t.TempDir(), fmt.Sprintf("%02d.yaml", i))
		if err := os.WriteFile(file, raw, 0o600); err != nil {
			w.t.Fatal(err)
		}
		files = append(files, file)
	}
	return kittest.Scenario{
		Scheme: scheme(), CRDs: w.crds(), Files: files,
		Outside:     func() http.RoundTripper { return w.cloud() },
		Controllers: w.controllers,
	}
}

// controllers are those of the kind in a new process.
func (w *world) controllers(outside http.RoundTripper) ([]kit.Controller, error) {
	pool := openstack.NewPool(openstack.Options{Transport: outside})
	e := resources.New(kinds.Served(), resources.Sessions(pool))
	e.Dial, e.Internet, e.Cluster = w.station.dial, w.internet.Client(), w.cluster
	e.Unseen = func(kind string) bool { return kind == w.unseen }
	if w.registry != nil {
		w.registry = prometheus.NewRegistry()
		e.Measure(w.registry)
	}
	if w.also != nil {
		return e.Controllers(scheme(), w.kind.Name, w.also.Name)
	}
	return e.Controllers(scheme(), w.kind.Name)
}

// crds are the definitions that the controllers of one kind need: fewer are read faster.
func (w *world) crds() []string {
	plurals := map[string]bool{"clouds": true, "clusterclouds": true, "referencegrants": true, w.kind.Plural: true}
	var add func([]d.Field)
	add = func(fields []d.Field) {
		for _, f := range fields {
			for _, k := range kinds.Served() {
				if f.Ref == k.Name || slices.Contains(slices.Collect(maps.Values(f.Refs)), k.Name) {
					plurals[k.Plural] = true
				}
			}
			add(f.Fields)
		}
	}
	for _, k := range []*d.Kind{w.kind, w.also} {
		if k == nil {
			continue
		}
		add(append([]d.Field{{Ref: k.Name}}, k.Fields...))
		for _, s := range k.After {
			add([]d.Field{{Ref: s.Kind}, {Ref: s.Of}})
		}
	}
	var out []string
	for plural := range plurals {
		out = append(out, filepath.Join(crds, "openstack.stackwright.dev_"+plural+".yaml"))
	}
	return out
}

// foreign puts a resource into the cloud that has the key of the sample and is not ours, with that id if there is one
// and the kind has ids of its own. It returns the id.
func (w *world) foreign(id string) string {
	declared, _ := w.spec()["resource"].(map[string]any)
	for _, f := range w.kind.Fields {
		if _, ok := declared[f.Spec()]; !ok && f.Named {
			declared[f.Spec()] = "sample"
		}
	}
	fields, err := body.Render(w.kind, declared, "sample", w)
	if err != nil {
		w.t.Fatal(err)
	}
	switch f, ok := w.kind.Field(w.kind.IDField()); {
	case id == "":
	case strings.HasSuffix(w.kind.ID, "_ref"):
		fields["id"] = id
	case w.kind.ID != "":
		for _, g := range w.kind.Fields {
			if g.API == w.kind.ID || g.In == w.kind.ID {
				id, _ = fields[g.API].(string)
			}
		}
	default:
		if fields["id"] = id; ok && f.Named {
			declared[f.Spec()] = id
		}
	}
	if w.kind.Hook == "ec2" && id == "" {
		sum := sha256.Sum256([]byte("a")) // the access key of the Secret that resolve makes
		fields["id"] = hex.EncodeToString(sum[:])
	}
	if !w.kind.Keyed() {
		fields = w.shown(fields)
	}
	w.next[w.kind.Name]++
	w.seeds = append(w.seeds, func(c *fake.Cloud) { c.Put(w.kind.Name, fields) })
	return id
}

// shown are fields as a cloud has them.
func (w *world) shown(fields map[string]any) map[string]any {
	out, _ := body.Sent(w.kind, fields)
	for _, f := range w.kind.Fields {
		if f.WriteOnly {
			delete(out, f.API)
		}
	}
	if id, ok := fields["id"]; ok {
		out["id"] = id
	}
	return out
}

// ID implements body.Resolver: references of samples are ids.
func (w *world) ID(f d.Field, m map[string]any) (string, error) {
	id, _ := m["id"].(string)
	if f.By != "" {
		return "http://cloud.test/key-manager/v1/secrets/" + id, nil
	}
	return id, nil
}

// Secret implements body.Resolver.
func (w *world) Secret(d.Field, map[string]any) (string, error) { return "secret", nil }

// Own implements body.Resolver.
func (w *world) Own(kind string) string {
	if kind == "User" {
		return fake.User
	}
	return fake.Project
}
