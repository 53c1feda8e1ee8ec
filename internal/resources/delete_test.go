package resources_test

import (
	"encoding/base64"
	"encoding/json"
	"fmt"
	"net/http"
	"path"
	"slices"
	"strings"
	"testing"
	"time"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/yaml"

	"stackwright.dev/kit/kittest"

	openstackv1 "stackwright.dev/stackwright/api/openstack/v1alpha1"
	"stackwright.dev/stackwright/internal/openstack/fake"
	d "stackwright.dev/stackwright/internal/resources/descriptor"
	"stackwright.dev/stackwright/internal/resources/kinds"
)

// town is n objects of each kind, which refer to each other as the samples say.
type town struct {
	t     *testing.T
	docs  []string
	kinds []*d.Kind
}

func newTown(t *testing.T, n int) *town {
	t.Helper()
	w := &town{t: t, docs: []string{namespace("default"), credentials("default"), cloudIn("default")},
		// What OpenStack itself makes, or never deletes, stays.
		kinds: slices.DeleteFunc(kinds.Served(), func(k *d.Kind) bool { return k.ReadOnly || k.Delete.Method == d.None })}
	for i := range n {
		for _, k := range w.kinds {
			declared := map[string]any{}
			if err := yaml.Unmarshal([]byte(k.Sample), &declared); err != nil {
				t.Fatal(err)
			}
			if name, ok := declared["name"].(string); ok {
				declared["name"] = map[bool]string{true: fmt.Sprint("x", i, name), false: fmt.Sprint(name, i)}[strings.HasSuffix(
					name, ".")] // a domain keeps its end
			}
			w.settle(k.Name, k.Fields, declared, i)
			w.add(map[string]any{"apiVersion": openstackv1.GroupVersion.String(), "kind": k.Name,
				"metadata": map[string]any{"name": fmt.Sprint("x", i), "namespace": "default"},
				"spec":     map[string]any{"resource": declared}})
		}
	}
	return w
}

func (w *town) add(object map[string]any) {
	w.t.Helper()
	raw, err := json.Marshal(object)
	if err != nil {
		w.t.Fatal(err)
	}
	w.docs = append(w.docs, string(raw))
}

// settle makes what a sample declares refer to the objects with the number i.
func (w *town) settle(kind string, fields []d.Field, declared map[string]any, i int) {
	for _, f := range fields {
		list, isList := declared[f.Spec()].([]any)
		if !isList {
			list = []any{declared[f.Spec()]}
		}
		for n := range list {
			m, isMap := list[n].(map[string]any)
			switch {
			case !isMap:
			case f.IsRef():
				list[n] = map[string]any{"name": fmt.Sprint("x", i)}
			case f.Type == d.Secret && f.Output:
				m["name"] = fmt.Sprint(strings.ToLower(kind), "-output", i)
			case f.Type == d.Secret:
				name := strings.ToLower(fmt.Sprint(kind, f.Spec(), i))
				key, _ := m["key"].(string)
				m["name"] = name
				w.add(map[string]any{"apiVersion": "v1", "kind": "Secret", "metadata": map[string]any{
					"name": name, "namespace": "default"}, "data": map[string]any{key: base64.StdEncoding.EncodeToString(
					fmt.Appendf(nil, `{"access": "a%d", "secret": "s"}`, i))}})
			default:
				w.settle(kind, f.Fields, m, i)
			}
		}
		if _, there := declared[f.Spec()]; there && !isList {
			declared[f.Spec()] = list[0]
		}
	}
}

// raze deletes everything at once, as the namespace controller does, credentials and clouds first.
func raze(p *kittest.Play) {
	p.T.Helper()
	all := p.Objects()
	slices.SortStableFunc(all, func(a, b *unstructured.Unstructured) int { return age(a) - age(b) })
	for _, o := range all {
		if o.GetKind() == "Namespace" {
			continue
		}
		if err := client.IgnoreNotFound(p.Client.Delete(p.T.Context(), o)); err != nil {
			p.T.Fatal(err)
		}
	}
}

func age(o *unstructured.Unstructured) int {
	return slices.Index([]string{"Secret", "Cloud", "ClusterCloud", "ReferenceGrant", o.GetKind()}, o.GetKind())
}

// razed wants nothing to be left.
func razed(p *kittest.Play) {
	p.T.Helper()
	for _, o := range p.Objects() {
		if o.GetKind() != "Namespace" {
			c, _, _ := unstructured.NestedSlice(o.Object, "status", "conditions")
			p.T.Errorf("left is %s %s with finalizers %v: %v", o.GetKind(), o.GetName(), o.GetFinalizers(), c)
		}
	}
	p.Empty()
}

// A namespace with hundreds of objects of all kinds is deleted, with the Cloud and its Secret, and the operator starts
// anew in the middle of it.
func TestDeleteEverything(t *testing.T) {
	n := max(3, 160/len(kinds.Served()))
	w := newTown(t, n)
	kittest.New(t, stage(t, nil, w.docs...)).Run(t, func(p *kittest.Play) {
		p.Ready()
		c := cloudOf(p)
		full := population(c)
		order := referrals(p)
		if full < n*len(w.kinds) {
			t.Fatalf("there are %d resources of %d kinds", full, len(w.kinds))
		}
		begin := len(c.Requests())
		raze(p)
		for left := full; left > full/4; left = population(c) {
			p.Until(time.Hour, "some more resources are gone", func() bool { return population(c) < left-full/5 })
			p.Restart()
		}
		p.Settle()
		razed(p)
		inOrder(t, order, c.Requests()[begin:])
	})
}

// population is how many resources there are in a cloud.
func population(c *fake.Cloud) (n int) {
	for _, k := range kinds.Served() {
		n += len(c.IDs(k.Name))
	}
	return n
}

// referral says that the resource at one place has to be deleted before that at another one.
type referral struct{ first, then, what string }

// place is how the path of a resource ends.
func place(k *d.Kind, id string) string { return path.Base(k.Path) + "/" + id }

func referrals(p *kittest.Play) (out []referral) {
	p.T.Helper()
	places := map[string]string{}
	objects := p.Objects()
	for _, k := range kinds.Served() {
		for _, o := range objects {
			if id, _, _ := unstructured.NestedString(o.Object, "status", "id"); o.GetKind() == k.Name {
				places[k.Name+" "+o.GetName()] = place(k, id)
			}
		}
	}
	for _, k := range kinds.Served() {
		for _, o := range objects {
			resource, _, _ := unstructured.NestedMap(o.Object, "spec", "resource")
			for _, f := range k.Fields {
				m, _ := resource[f.Spec()].(map[string]any)
				if me := k.Name + " " + o.GetName(); o.GetKind() == k.Name && f.Ref != "" && m != nil && !k.Keyed() {
					other := fmt.Sprint(f.Ref, " ", m["name"])
					out = append(out, referral{places[me], places[other], me + " refers to " + other})
				}
			}
		}
	}
	if len(out) == 0 {
		p.T.Error("no object refers to another")
	}
	return out
}

// inOrder looks at the requests that delete: a resource goes after those that refer to it, and after what is below it.
func inOrder(t *testing.T, order []referral, requests []fake.Request) {
	t.Helper()
	deleted, used, seen := map[string]int{}, map[string]int{}, map[string]bool{}
	for n, r := range requests {
		if r.Method != http.MethodDelete || seen[r.Path] {
			continue // a process that was killed may not know that it has asked already
		}
		seen[r.Path] = true
		where, _, _ := strings.Cut(r.Path, "?")
		parts := strings.Split(where, "/")
		for i := 1; i < len(parts); i++ {
			used[parts[i-1]+"/"+parts[i]] = n
		}
		deleted[path.Join(parts[len(parts)-2:]...)] = n
	}
	for _, r := range order {
		first, then := deleted[r.first], deleted[r.then]
		if first > then && then > 0 {
			t.Errorf("%s, and was deleted after it: requests %d and %d", r.what, first, then)
		}
	}
	for what, n := range deleted {
		if used[what] > n {
			t.Errorf("%s was deleted before what is below it", what)
		}
	}
}

// A process that dies at any request of such a deletion leaves nothing, and nothing has to be done by hand.
func TestDeleteEverythingCrash(t *testing.T) {
	s := stage(t, nil, namespace("default"), credentials("default"), cloudIn("default"),
		one("Project", "default", "shop", "resource: {}"),
		one("User", "default", "ann", "resource: {defaultProjectRef: {name: shop}}"))
	kittest.New(t, s).Crash(t, func(p *kittest.Play) {
		raze(p)
		p.Settle()
		razed(p)
	})
}

// An operator that lives for a few seconds at a time deletes all the same: who refers to what is known as soon as it
// has seen all objects.
func TestDeleteAlthoughKilledOften(t *testing.T) {
	s := stage(t, nil, namespace("default"), credentials("default"), cloudIn("default"),
		one("Project", "default", "shop", "resource: {}"),
		one("User", "default", "ann", "resource: {defaultProjectRef: {name: shop}}"))
	kittest.New(t, s).Run(t, func(p *kittest.Play) {
		p.Ready()
		raze(p)
		for range 5 {
			p.Restart()
			p.Pass(2 * time.Second)
		}
		razed(p)
	})
}

// What cannot be deleted any more, because the cloud or its credentials are gone, is given up explicitly.
func TestAbandon(t *testing.T) {
	s := stage(t, nil, namespace("default"), credentials("default"), cloudIn("default"),
		one("Project", "default", "shop", "resource: {}"))
	kittest.New(t, s).Run(t, func(p *kittest.Play) {
		p.Ready()
		p.Stop()
		p.Change("Secret/default/cloud", `data.clouds\.yaml`, "bm90aGluZw==")
		raze(p)
		p.Start()
		p.Pass(time.Hour)
		wantSays(p, "Project/shop", "The annotation kit.stackwright.dev/abandon: resource lets the object go and leaves the "+
			"resource.")
		wantSays(p, "Cloud/default", "Project shop")
		p.Change("Project/shop", `metadata.annotations.kit\.stackwright\.dev/abandon`, "resource")
		p.Settle()
		for _, gone := range []string{"Project/shop", "Cloud/default", "Secret/default/cloud"} {
			if p.Object(gone) != nil {
				t.Errorf("%s is left", gone)
			}
		}
		wantIn(p, "Project", 1)
	})
}

// An OpenStack and what is registered in it go with one namespace, in any order: nobody waits for an identity service
// that is gone. A cloud that may be elsewhere, with credentials in that namespace, is waited for.
func TestACloudGoesWithItsNamespace(t *testing.T) {
	for name, c := range map[string]struct {
		by   string
		left bool
	}{
		"of the control plane": {"apiVersion: controlplane.stackwright.dev/v1alpha1, kind: OpenStackControlPlane", false},
		"of other software":    {"apiVersion: example.org/v1, kind: OpenStackControlPlane", true},
		"of another kind":      {"apiVersion: controlplane.stackwright.dev/v1alpha1, kind: OpenStackRelease", true},
		"of a person":          {"", true},
	} {
		t.Run(name, func(t *testing.T) {
			owner := ""
			if c.by != "" {
				owner = ", ownerReferences: [{" + c.by + ", name: first, uid: \"1\", controller: true}]"
			}
			cloud := strings.Replace(cloudIn("default"), "name: default", "name: default"+owner, 1)
			going := strings.Replace(namespace("default"), "name: default", "name: default, finalizers: [example.org/hold]", 1)
			s := stage(t, nil, going, credentials("default"), cloud, one("Project", "default", "shop", "resource: {}"))
			kittest.New(t, s).Run(t, func(p *kittest.Play) { bereave(p, c.left) })
		})
	}
}

// bereave takes the cloud, which does not answer any more, away with its namespace.
func bereave(p *kittest.Play, left bool) {
	p.T.Helper()
	p.Ready()
	p.Stop()
	p.Change("Secret/default/cloud", `data.clouds\.yaml`, "bm90aGluZw==")
	p.Remove("Namespace/default")
	raze(p)
	p.Start()
	p.Pass(time.Minute)
	if p.Object("Project/shop") == nil {
		p.T.Error("nobody waited for the cloud")
	}
	p.Pass(4 * time.Minute)
	for _, ref := range []string{"Project/shop", "Cloud/default", "Secret/default/cloud"} {
		if there := p.Object(ref) != nil; there != left {
			p.T.Errorf("%s is there: %t, want %t", ref, there, left)
		}
	}
}
