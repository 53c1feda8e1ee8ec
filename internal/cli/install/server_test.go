//go:build apiserver

package install

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/wait"
	clientgoscheme "k8s.io/client-go/kubernetes/scheme"
	"k8s.io/client-go/rest"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/yaml"

	"stackwright.dev/kit/kittest"
	"stackwright.dev/kit/reconcile"
)

var live *rest.Config

func TestMain(m *testing.M) { kittest.Main(m, &live) }

// installed is a client of a cluster into which the rendered chart has been installed, and a namespace for the test.
func installed(t *testing.T) (client.Client, string) {
	t.Helper()
	s := runtime.NewScheme()
	must(t, clientgoscheme.AddToScheme(s))
	must(t, apiextensionsv1.AddToScheme(s))
	c, err := client.New(live, client.Options{Scheme: s})
	must(t, err)
	must(t, ApplyCRDs(t.Context(), c))
	ns := strings.ToLower(strings.NewReplacer("_", "-", "/", "-").Replace(t.Name()))
	for _, name := range []string{"system", ns} {
		must(t, apply(t, c, "{apiVersion: v1, kind: Namespace, metadata: {name: "+name+"}}"))
	}
	text, err := template(t, map[string]any{"image": "example.test/operator:1"})
	must(t, err)
	policies := 0
	for doc := range strings.SplitSeq(text, "\n---\n") {
		policies += strings.Count(doc, "kind: ValidatingAdmissionPolicy\n")
		must(t, apply(t, c, doc))
	}
	if policies != 3 {
		t.Fatalf("the chart has %d admission policies; each needs a case here that is refused and one that passes", policies)
	}
	enforced(t, c, ns)
	return c, ns
}

// enforced waits until the API server, which compiles policies after it has taken them, refuses by all of them.
func enforced(t *testing.T, c client.Client, ns string) {
	t.Helper()
	probe := plane(ns, "probe", "{}")
	must(t, c.Create(t.Context(), probe))
	deployed(t, c, probe)
	occupied := block(ns, "probe")
	must(t, c.Create(t.Context(), occupied))
	has(t, c, occupied, 1)
	err := wait.PollUntilContextTimeout(t.Context(), 50*time.Millisecond, time.Minute, true,
		func(ctx context.Context) (bool, error) {
			a := c.Create(ctx, plane(ns, "other", "{services: {nova2: {}}}"), client.DryRunAll)
			b := c.Delete(ctx, probe, client.DryRunAll)
			d := c.Delete(ctx, occupied, client.DryRunAll)
			return a != nil && b != nil && d != nil, nil
		})
	must(t, err)
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func apply(t *testing.T, c client.Client, text string) error {
	t.Helper()
	u := &unstructured.Unstructured{}
	must(t, yaml.Unmarshal([]byte(text), &u.Object))
	if len(u.Object) == 0 {
		return nil
	}
	return c.Apply(t.Context(), client.ApplyConfigurationFromUnstructured(u), client.FieldOwner(FieldManager),
		client.ForceOwnership)
}

// object of ours with a spec in YAML.
func object(kind, ns, name, spec string) *unstructured.Unstructured {
	group := map[string]string{"OpenStackControlPlane": "controlplane", "OpenStackRelease": "controlplane",
		"Keystone": "service", "BuildingBlock": "fleet"}[kind]
	if group == "" {
		group = "infra"
	}
	u := &unstructured.Unstructured{}
	text := fmt.Sprintf("{apiVersion: %s.stackwright.dev/v1alpha1, kind: %s, "+
		"metadata: {name: %s, namespace: '%s'}, spec: %s}", group, kind, name, ns, spec)
	if err := yaml.Unmarshal([]byte(text), &u.Object); err != nil {
		panic(err)
	}
	return u
}

func plane(ns, name, spec string) *unstructured.Unstructured {
	return object("OpenStackControlPlane", ns, name, spec)
}

// deployed makes a control plane live, as its operator does.
func deployed(t *testing.T, c client.Client, u *unstructured.Unstructured) {
	t.Helper()
	must(t, c.Status().Patch(t.Context(), u,
		client.RawPatch(types.MergePatchType, []byte(`{"status":{"deployedRelease":"epoxy"}}`))))
}

func block(ns, name string) *unstructured.Unstructured {
	return object("BuildingBlock", ns, name, "{cell: cell1, driver: fake, fake: {hosts: 2}}")
}

// has gives a block servers, as its operator sees them.
func has(t *testing.T, c client.Client, u *unstructured.Unstructured, servers int) {
	t.Helper()
	must(t, c.Status().Patch(t.Context(), u, client.RawPatch(types.MergePatchType,
		fmt.Appendf(nil, `{"status":{"hosts":{"total":2,"servers":%d}}}`, servers))))
}

func refused(t *testing.T, err error, says ...string) {
	t.Helper()
	for _, text := range says {
		if err == nil || !strings.Contains(err.Error(), text) {
			t.Errorf("the answer is %v\nwant %s", err, text)
		}
	}
}

func TestServerRefusesUnknownServices(t *testing.T) {
	c, ns := installed(t)
	refused(t, c.Create(t.Context(), plane(ns, "bad", "{services: {nova2: {}, glanse: {}}}")), "is forbidden",
		"is no service; those that exist are barbican, cinder, galera, glance, heat, horizon, keystone, memcached, neutron, "+
			"nova, ovn, placement, rabbitmq", "nova2", "glanse")
	good := plane(ns, "good", "{services: {rabbitmq: {enabled: false}}}")
	must(t, c.Create(t.Context(), good))
	must(t, unstructured.SetNestedMap(good.Object, map[string]any{}, "spec", "services", "horizen"))
	refused(t, c.Update(t.Context(), good), "spec.services: horizen is no service")
}

// Deletion of a live control plane is refused with the command that confirms it, and passes after that.
func TestServerRefusesToDeleteWhatIsLive(t *testing.T) {
	c, ns := installed(t)
	fresh := plane(ns, "fresh", "{}")
	must(t, c.Create(t.Context(), fresh))
	must(t, c.Delete(t.Context(), fresh)) // it never ran: nothing to confirm
	for name, confirm := range map[string]string{
		"by-field":      `{"spec":{"confirmDeletion":"by-field"}}`,
		"by-annotation": `{"metadata":{"annotations":{"controlplane.stackwright.dev/confirm-deletion":"by-annotation"}}}`,
	} {
		u := plane(ns, name, "{}")
		must(t, c.Create(t.Context(), u))
		deployed(t, c, u)
		refused(t, c.Delete(t.Context(), u), "control plane "+name+" is live",
			"set spec.confirmDeletion to its name first", "kubectl -n "+ns+" patch openstackcontrolplane "+name+
				` --type=merge -p {"spec":{"confirmDeletion":"`+name+`"}}`)
		wrong := strings.ReplaceAll(confirm, `:"`+name+`"`, `:"another"`)
		must(t, c.Patch(t.Context(), u, client.RawPatch(types.MergePatchType, []byte(wrong))))
		refused(t, c.Delete(t.Context(), u), "is live")
		must(t, c.Patch(t.Context(), u, client.RawPatch(types.MergePatchType, []byte(confirm))))
		must(t, c.Delete(t.Context(), u))
	}
}

// Deleting a namespace is a decision of its own: a refusal would leave it half empty for ever.
func TestServerLetsTheNamespaceControllerDelete(t *testing.T) {
	c, ns := installed(t)
	u, b := plane(ns, "live", "{}"), block(ns, "occupied")
	must(t, c.Create(t.Context(), u))
	must(t, c.Create(t.Context(), b))
	deployed(t, c, u)
	has(t, c, b, 3)
	cfg := rest.CopyConfig(live)
	cfg.Impersonate = rest.ImpersonationConfig{UserName: "system:serviceaccount:kube-system:namespace-controller",
		Groups: []string{"system:masters"}}
	controller, err := client.New(cfg, client.Options{})
	must(t, err)
	must(t, controller.Delete(t.Context(), u))
	must(t, controller.Delete(t.Context(), b))
}

// Deletion of a block is refused while it has servers, with how many there are and what lists and moves them. It passes
// when they are gone.
func TestServerRefusesToDeleteABlockWithServers(t *testing.T) {
	c, ns := installed(t)
	fresh := block(ns, "fresh")
	must(t, c.Create(t.Context(), fresh))
	must(t, c.Delete(t.Context(), fresh)) // nobody has counted yet: its operator holds it where it has to
	rack := block(ns, "rack-a")
	must(t, c.Create(t.Context(), rack))
	for n, says := range map[int]string{1: "has 1 server: ", 3: "has 3 servers: "} {
		has(t, c, rack, n)
		err := c.Delete(t.Context(), rack)
		refused(t, err, "building block rack-a "+says+"move or delete", "kubectl -n "+ns+" get hypervisors",
			"stackwright openstack server list --all-projects --host HOST",
			"stackwright openstack server migrate --live-migration SERVER",
			"kubectl -n "+ns+" annotate buildingblock rack-a kit.stackwright.dev/abandon=hosts,aggregates")
		if !apierrors.IsForbidden(err) {
			t.Errorf("clients are told %v, want that it is forbidden", err)
		}
	}
	refused(t, c.DeleteAllOf(t.Context(), rack, client.InNamespace(ns)), "denied request: building block")
	has(t, c, rack, 0)
	must(t, c.Delete(t.Context(), rack))
}

// What gives up the hosts of a block, or all that it has, is the annotation that its operator reads.
func TestServerLetsAPersonGiveUpServers(t *testing.T) {
	c, ns := installed(t)
	for value, passes := range map[string]bool{"": false, "aggregates": false, "hosts,aggregates": true,
		"aggregates, hosts": true, "*": true} {
		b := block(ns, "rack-a")
		must(t, c.Create(t.Context(), b))
		has(t, c, b, 3)
		b.SetAnnotations(map[string]string{reconcile.AnnotationAbandon: value})
		must(t, c.Update(t.Context(), b))
		err := c.Delete(t.Context(), b)
		if (err == nil) != passes || passes != reconcile.Abandons(b, "hosts") {
			t.Errorf("with the annotation %q the answer is %v", value, err)
		}
		if err != nil {
			has(t, c, b, 0)
			must(t, c.Delete(t.Context(), b))
		}
	}
}

// A block that is held already, as a server has come meanwhile, can be asked to go again: nothing takes that back.
func TestServerLetsABlockBeDeletedTwice(t *testing.T) {
	c, ns := installed(t)
	b := block(ns, "held")
	b.SetFinalizers([]string{"example.org/operator"})
	must(t, c.Create(t.Context(), b))
	must(t, c.Delete(t.Context(), b))
	has(t, c, b, 1)
	must(t, c.Delete(t.Context(), b))
	b.SetFinalizers(nil)
	must(t, c.Update(t.Context(), b))
}
