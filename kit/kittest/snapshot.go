package kittest

import (
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"regexp"
	"slices"
	"strings"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/yaml"
)

// Objects returns all objects of the kinds that the scenario is about, sorted by kind, namespace and name. On a real
// server these are the objects in the namespaces of the scenario, and cluster-scoped ones that the scenario or a
// controller made.
func (p *Play) Objects() []*unstructured.Unstructured {
	p.T.Helper()
	all := p.stored()
	if p.Server != nil {
		for i, u := range all {
			all[i] = u.DeepCopy()
		}
	}
	return all
}

// stored is Objects with those of a server in memory as they are there: they must not be changed.
func (p *Play) stored() []*unstructured.Unstructured {
	p.T.Helper()
	var out []*unstructured.Unstructured
	for _, k := range p.world.kinds {
		if p.Server != nil {
			out = append(out, p.Server.Objects(k)...)
			continue
		}
		l := &unstructured.UnstructuredList{}
		l.SetGroupVersionKind(k.GroupVersion().WithKind(k.Kind + "List"))
		err := p.Client.List(p.T.Context(), l)
		if meta.IsNoMatchError(err) || apierrors.IsNotFound(err) {
			continue // its definition was removed
		}
		p.must("listing "+k.Kind, err)
		for i := range l.Items {
			if p.ours(&l.Items[i]) {
				out = append(out, &l.Items[i])
			}
		}
	}
	names := make(map[*unstructured.Unstructured]string, len(out))
	for _, u := range out {
		names[u] = full(u)
	}
	slices.SortFunc(out, func(a, b *unstructured.Unstructured) int { return strings.Compare(names[a], names[b]) })
	return out
}

func full(u *unstructured.Unstructured) string {
	return u.GetKind() + "/" + u.GetNamespace() + "/" + u.GetName()
}

// ours tells whether an object belongs to the play rather than to a real server's own furniture.
func (p *Play) ours(u *unstructured.Unstructured) bool {
	for _, o := range p.world.objects {
		if o.GetKind() == u.GetKind() && o.GetName() == u.GetName() && o.GetNamespace() == u.GetNamespace() {
			return true
		}
	}
	if u.GetName() == "kube-root-ca.crt" || u.GetKind() == "ServiceAccount" && u.GetName() == "default" {
		return false
	}
	if u.GetNamespace() == "" {
		return len(u.GetOwnerReferences()) > 0 || u.GetLabels()["applyset.kubernetes.io/part-of"] != ""
	}
	return slices.Contains(p.namespaces(), u.GetNamespace()) && u.GetName() != "kubernetes"
}

func (p *Play) namespaces() []string {
	var out []string
	for _, u := range p.world.objects {
		if ns := u.GetNamespace(); ns != "" && !slices.Contains(out, ns) {
			out = append(out, ns)
		}
	}
	return out
}

// Snapshot describes the end state: every object without what differs from run to run (uids, versions, times, hashes,
// the content of Secrets), and the outside if it has a Snapshot of its own.
func (p *Play) Snapshot() string {
	p.T.Helper()
	var docs []string
	for _, u := range p.Objects() {
		raw, err := yaml.Marshal(bare(u))
		p.must("encoding "+name(u), err)
		docs = append(docs, string(raw))
	}
	slices.Sort(docs)
	if o, ok := p.Outside.(interface{ Snapshot() string }); ok {
		docs = append(docs, "outside: |\n"+o.Snapshot())
	}
	return anonymous(strings.Join(docs, "---\n"))
}

// bare drops what the server sets, and generations: how often something was changed is not part of a state.
func bare(u *unstructured.Unstructured) map[string]any {
	u = u.DeepCopy()
	for _, f := range []string{
		"uid", "resourceVersion", "creationTimestamp", "managedFields", "deletionTimestamp", "generation",
	} {
		unstructured.RemoveNestedField(u.Object, "metadata", f)
	}
	u.SetFinalizers(slices.DeleteFunc(u.GetFinalizers(), func(f string) bool {
		return slices.Contains(collected, f) // the cluster's own
	}))
	if len(u.GetFinalizers()) == 0 {
		u.SetFinalizers(nil)
	}
	if status, ok := u.Object["status"].(map[string]any); ok {
		forget(status, "observedGeneration")
		byType(status["conditions"])
	}
	switch u.GetKind() {
	case "Secret":
		hide(u.Object, "data")
	case "Service":
		forgetAddress(u.Object["spec"])
	}
	if list, _, _ := unstructured.NestedSlice(u.Object, "status", "externals"); list != nil {
		for _, e := range list {
			if m, ok := e.(map[string]any); ok && m["id"] != nil {
				m["id"] = "ID"
			}
		}
		u.Object["status"].(map[string]any)["externals"] = list
	}
	out, _ := nameless(timeless(u.Object)).(map[string]any)
	return out
}

// byType sorts conditions: they are a map by type, and their order tells only which was set first.
func byType(conditions any) {
	list, _ := conditions.([]any)
	slices.SortFunc(list, func(a, b any) int {
		left, _ := a.(map[string]any)
		right, _ := b.(map[string]any)
		return strings.Compare(fmt.Sprint(left["type"]), fmt.Sprint(right["type"]))
	})
}

// nameless replaces uids and hashes in all strings, before YAML decides which of them need quotes.
func nameless(v any) any {
	switch t := v.(type) {
	case map[string]any:
		for k, e := range t {
			t[k] = nameless(e)
		}
	case []any:
		for i, e := range t {
			t[i] = nameless(e)
		}
	case string:
		return anonymous(t)
	}
	return v
}

// forget removes a field at any depth.
func forget(v any, field string) {
	switch t := v.(type) {
	case map[string]any:
		delete(t, field)
		for _, e := range t {
			forget(e, field)
		}
	case []any:
		for _, e := range t {
			forget(e, field)
		}
	}
}

// forgetAddress removes the address and the node ports that the server picked for a Service.
func forgetAddress(spec any) {
	m, ok := spec.(map[string]any)
	forget(m, "nodePort")
	if ip := m["clusterIP"]; ok && ip != "None" {
		delete(m, "clusterIP")
		delete(m, "clusterIPs")
	}
}

func hide(obj map[string]any, field string) {
	m, _ := obj[field].(map[string]any)
	for k := range m {
		m[k] = "HIDDEN"
	}
}

var (
	uuids  = regexp.MustCompile(`[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}|\b[0-9a-f]{32}\b`)
	hashes = regexp.MustCompile(`"?\b[0-9a-f]{16}\b"?`) // one that reads as a number is quoted in YAML
	suffix = regexp.MustCompile(`-[0-9a-f]{8}\b`)
)

// anonymous replaces uids and hashes.
func anonymous(s string) string {
	s = uuids.ReplaceAllString(s, "UUID")
	s = hashes.ReplaceAllString(s, "HASH")
	return suffix.ReplaceAllString(s, "-HASH")
}

// creations counts how often the operator created each object.
func (p *Play) creations() map[string]int {
	out := map[string]int{}
	for _, x := range p.journal.since(0) {
		if x.Code == http.StatusCreated && !x.Outside && !strings.Contains(x.Path, "/events") {
			path, _, _ := strings.Cut(x.Path, "?")
			out[anonymous(path)]++
		}
	}
	return out
}

// twice names the objects that were created more often than in another play.
func twice(have, want map[string]int) error {
	for _, path := range slices.Sorted(maps.Keys(have)) {
		if want[path] > 0 && have[path] > want[path] {
			return fmt.Errorf("%s was created %d times, want %d", path, have[path], want[path])
		}
	}
	return nil
}

// intents returns what the operator applied, last version per object, in the order of the graph's levels and then by
// kind and name.
func (p *Play) intents() []string {
	p.T.Helper()
	last := map[string]*unstructured.Unstructured{}
	for _, x := range p.journal.since(0) {
		path, query, _ := strings.Cut(x.Path, "?")
		if x.Outside || x.Method != http.MethodPatch && x.Method != http.MethodPost || strings.Contains(path, "/events") ||
			strings.HasSuffix(path, "/status") || !strings.Contains(query, "fieldManager=") {
			continue
		}
		m := map[string]any{}
		if json.Unmarshal(x.Body, &m) != nil {
			continue // a merge patch list or protobuf; the kit applies JSON
		}
		u := &unstructured.Unstructured{Object: m}
		if !p.world.owned(u.GroupVersionKind()) && u.GetKind() != "" {
			last[path] = u
		}
	}
	var out []string
	for _, u := range slices.SortedFunc(maps.Values(last), byLevel) {
		notes := u.GetAnnotations()
		head := fmt.Sprintf("# level %s, step %s\n", notes[order], notes["kit.stackwright.dev/step"])
		raw, err := yaml.Marshal(unstamped(bare(u)))
		p.must("encoding "+name(u), err)
		out = append(out, head+string(raw))
	}
	return out
}

// unstamped drops what the kit puts on every object.
func unstamped(object map[string]any) map[string]any {
	m, _ := object["metadata"].(map[string]any)
	delete(m, "ownerReferences")
	for _, field := range []string{"annotations", "labels"} {
		notes, _ := m[field].(map[string]any)
		maps.DeleteFunc(notes, func(k string, _ any) bool {
			return strings.HasPrefix(k, "kit.stackwright.dev/") || strings.HasPrefix(k, "applyset.kubernetes.io/")
		})
		if len(notes) == 0 {
			delete(m, field)
		}
	}
	return object
}

const order = "kit.stackwright.dev/order"

func byLevel(a, b *unstructured.Unstructured) int {
	rank := func(u *unstructured.Unstructured) string {
		return fmt.Sprintf("%4s/%s/%s", u.GetAnnotations()[order], u.GetKind(), u.GetName())
	}
	return strings.Compare(rank(a), rank(b))
}
