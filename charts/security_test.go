package charts_test

import (
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	structural "k8s.io/apiextensions-apiserver/pkg/apiserver/schema"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema/defaulting"
	apiruntime "k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/pod-security-admission/api"
	"k8s.io/pod-security-admission/policy"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"stackwright.dev/kit/crd"

	controlplanev1 "stackwright.dev/stackwright/api/controlplane/v1alpha1"
	servicev1 "stackwright.dev/stackwright/api/service/v1alpha1"
	"stackwright.dev/stackwright/internal/image/spec"
	"stackwright.dev/stackwright/internal/operator"
	"stackwright.dev/stackwright/internal/pki"
	"stackwright.dev/stackwright/internal/rehearse"
)

// demanding are the pods that Pod Security level restricted keeps out, by the kind and the name of what makes them in
// the samples, and the level that they need.
var demanding = map[string]api.Level{
	// Open vSwitch is the host's: its network, its sockets, and the interfaces that it makes.
	"DaemonSet gateways-ovn-chassis": api.LevelPrivileged,
	"DaemonSet rack-a-ovn-chassis":   api.LevelPrivileged,
	// nova-compute makes interfaces of servers, and writes their disks where QEMU reads them.
	"DaemonSet rack-a-compute": api.LevelPrivileged,
	// libvirtd starts servers in a control group and in processes of the host, which outlive the pod.
	"DaemonSet rack-a-libvirt": api.LevelPrivileged,
	// The metadata agent makes a network namespace for each network of servers.
	"DaemonSet rack-a-metadata": api.LevelPrivileged,
}

// Namespaces that enforce Pod Security level restricted take all pods of ours but those that are known to need more,
// which need no more than is known.
func TestPodsAreRestricted(t *testing.T) {
	rules, err := policy.NewEvaluator(policy.DefaultChecks(), nil)
	must(t, err)
	needs, why, seen := map[string]api.Level{}, map[string]string{}, map[string]bool{}
	for _, o := range workloads(t) {
		name := fmt.Sprint(o["kind"], " ", at(o, "metadata", "name"))
		pod := podOf(t, o)
		seen[name] = true
		for _, level := range []api.Level{api.LevelRestricted, api.LevelBaseline} {
			version := api.LevelVersion{Level: level, Version: api.LatestVersion()}
			result := policy.AggregateCheckResults(rules.EvaluatePod(version, &pod.ObjectMeta, &pod.Spec))
			if !result.Allowed {
				needs[name] = looser[level]
				why[name] += fmt.Sprintf("\n%s: %s", level, result.ForbiddenDetail())
			}
		}
	}
	if diff := cmp.Diff(demanding, needs); diff != "" {
		t.Errorf("levels of Pod Security that pods need (-known +found):\n%s%s", diff, explained(why))
	}
	if len(seen) < 50 {
		t.Errorf("found %d workloads, want 50 at least: %q", len(seen), slices.Sorted(maps.Keys(seen)))
	}
}

// trusted are the workloads whose pods can ask the cluster's API, by the kind and the name of what makes them: the
// operator, in a release named identity, and what stands in for it where there is none.
var trusted = []string{"Deployment identity", "Job identity-register", "Job identity-secrets"}

// Who gets into a pod of a database or of a service gets no rights in the cluster with it: there is no token in it.
func TestPodsHaveNoRightsInTheCluster(t *testing.T) {
	found := map[string]bool{}
	for _, o := range workloads(t) {
		pod := podOf(t, o).Spec
		projected := slices.ContainsFunc(pod.Volumes, func(v corev1.Volume) bool {
			return v.Projected != nil && slices.ContainsFunc(v.Projected.Sources, func(p corev1.VolumeProjection) bool {
				return p.ServiceAccountToken != nil
			})
		})
		if projected || pod.AutomountServiceAccountToken == nil || *pod.AutomountServiceAccountToken {
			found[fmt.Sprint(o["kind"], " ", at(o, "metadata", "name"))] = true
		}
	}
	if diff := cmp.Diff(trusted, slices.Sorted(maps.Keys(found))); diff != "" {
		t.Errorf("pods that hold a token of their service account (-known +found):\n%s", diff)
	}
}

var looser = map[api.Level]api.Level{
	api.LevelRestricted: api.LevelBaseline, api.LevelBaseline: api.LevelPrivileged,
}

func explained(why map[string]string) string {
	var out strings.Builder
	for _, name := range slices.Sorted(maps.Keys(why)) {
		out.WriteString("\n" + name + why[name])
	}
	return out.String()
}

var placeholder = regexp.MustCompile(`{{\.\w+}}`)

// workloads are all objects that make pods: those of charts, those that operators make of each choice of a service and
// of the samples of everything else, and those with which stackwright up shows that the cloud works.
func workloads(t *testing.T) []map[string]any {
	t.Helper()
	all, err := rendered(t, "stackwright-operator", decode(t, "image: example.test/operator:1"))
	must(t, err)
	where := rehearse.World{Scheme: operator.Scheme(), Reader: fleet(t), Default: defaults(t)}
	services := map[string]bool{}
	for _, c := range trials() {
		services[c.kind] = true
		docs, err := rendered(t, c.chart, c.chosen(t))
		must(t, err)
		all = append(all, docs...)
		for name := range c.choices {
			all = append(all, made(t, c.object(t, name), where)...)
		}
	}
	for _, c := range published(t) {
		if kind := kindOf(t, c); !services[kind] {
			for _, u := range samples(t, kind) {
				all = append(all, made(t, u, where)...)
			}
		}
	}
	demo, err := os.ReadFile("../internal/cli/proof/demo.yaml")
	must(t, err)
	for doc := range strings.SplitSeq(placeholder.ReplaceAllString(string(demo), "given"), "\n---\n") {
		if strings.Contains(doc, "kind: Deployment\n") {
			all = append(all, decode(t, doc))
		}
	}
	return slices.DeleteFunc(all, func(o map[string]any) bool { return at(o, templates(o)...) == nil })
}

// object is that of a chart with one choice.
func (c trial) object(t *testing.T, choice string) map[string]any {
	t.Helper()
	return values(t, map[string]any{"apiVersion": servicev1.GroupVersion.String(), "kind": c.kind,
		"spec": c.spec(t, c.chosen(t, choice)), "metadata": map[string]any{"name": "identity", "namespace": "cloud"}})
}

// templates is where an object has the template of its pods.
func templates(o map[string]any) []string {
	switch o["kind"] {
	case "Deployment", "StatefulSet", "DaemonSet", "Job":
		return []string{"spec", "template"}
	case "CronJob":
		return []string{"spec", "jobTemplate", "spec", "template"}
	case "Pod":
		return nil
	}
	return []string{"none"}
}

func podOf(t *testing.T, o map[string]any) *corev1.PodTemplateSpec {
	t.Helper()
	text, err := json.Marshal(at(o, templates(o)...))
	must(t, err)
	pod := &corev1.PodTemplateSpec{}
	must(t, json.Unmarshal(text, pod))
	if len(pod.Spec.Containers) == 0 {
		t.Fatalf("%v %v has no containers", o["kind"], at(o, "metadata", "name"))
	}
	return pod
}

// made returns what operators make of an object, and of what they make.
func made(t *testing.T, u map[string]any, where rehearse.World) (out []map[string]any) {
	t.Helper()
	kind := schema.FromAPIVersionAndKind(fmt.Sprint(u["apiVersion"]), fmt.Sprint(u["kind"]))
	empty, err := operator.Scheme().New(kind)
	must(t, err)
	text, err := json.Marshal(u)
	must(t, err)
	must(t, json.Unmarshal(text, empty))
	result, err := rehearse.Play(t.Context(), empty.(client.Object), where,
		operator.Registry(operator.Environment{}).Players()...)
	must(t, err)
	if len(result.Refused) > 0 {
		t.Errorf("it is refused: %q", result.Refused)
	}
	for _, m := range result.Made {
		o, err := apiruntime.DefaultUnstructuredConverter.ToUnstructured(m.Object)
		must(t, err)
		o["kind"] = m.Object.GetObjectKind().GroupVersionKind().Kind
		out = append(out, o)
	}
	return out
}

// fleet is the world with the release of the samples, and with the cell that those of blocks belong to.
func fleet(t *testing.T) client.Reader {
	t.Helper()
	cell := &servicev1.NovaCell{}
	cell.Name, cell.Namespace = "openstack-nova-cell1", "openstack"
	cell.Status.Endpoints.Internal = "https://cell1.openstack.svc:8775"
	ca, err := pki.NewCA("screens", time.Now())
	must(t, err)
	authority := secret(cell.Name+"-console-ca", map[string]string{pki.CertKey: string(ca.Cert),
		pki.KeyKey: string(ca.Key), pki.CAKey: string(ca.Cert)})
	authority.SetNamespace(cell.Namespace)
	built, err := spec.Load(os.DirFS("../images"), "epoxy")
	must(t, err)
	release := &controlplanev1.OpenStackRelease{}
	release.Name, release.Spec.OpenStack = built.Name, "2025.1"
	release.Spec.Images = map[string]controlplanev1.Image{}
	for _, name := range built.Images() {
		release.Spec.Images[name] = controlplanev1.Image("images.test/" + name + ":1")
	}
	c := world(t)
	must(t, c.Create(t.Context(), release))
	must(t, c.Create(t.Context(), cell))
	must(t, c.Create(t.Context(), authority))
	return c
}

// defaults sets what an API server would.
func defaults(t *testing.T) func(client.Object) error {
	t.Helper()
	all, err := crd.Read(os.DirFS("stackwright-operator/crds"))
	must(t, err)
	known := map[schema.GroupKind]*structural.Structural{}
	for _, c := range all {
		known[schema.GroupKind{Group: c.Spec.Group, Kind: c.Spec.Names.Kind}] = structure(t, c)
	}
	return func(o client.Object) error {
		s := known[o.GetObjectKind().GroupVersionKind().GroupKind()]
		if s == nil {
			return nil
		}
		content, err := apiruntime.DefaultUnstructuredConverter.ToUnstructured(o)
		if err != nil {
			return err
		}
		defaulting.Default(content, s)
		return apiruntime.DefaultUnstructuredConverter.FromUnstructured(content, o)
	}
}
