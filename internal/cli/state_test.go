package cli

import (
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/yaml"

	"stackwright.dev/kit/kittest"
	"stackwright.dev/kit/why"

	fleetv1 "stackwright.dev/stackwright/api/fleet/v1alpha1"
	openstackv1 "stackwright.dev/stackwright/api/openstack/v1alpha1"
)

const ready = "testdata/cloud.yaml"

// waiting makes Galera wait for its volume.
func waiting(t *testing.T) *world {
	t.Helper()
	w := newWorld(t, ready)
	not := func(reason, message string) string {
		return `{"conditions":[{"type":"Ready","status":"False","reason":"` + reason + `","message":"` + message +
			`","observedGeneration":1,"lastTransitionTime":"2026-01-02T03:04:05Z"}]`
	}
	w.status("OpenStackControlPlane", "cloud", not("Waiting", "Step galera: Galera cloud-galera is not ready.")+
		`,"clouds":null,"steps":[{"name":"galera","state":"Waiting","waitingFor":"Galera cloud-galera"}]}`)
	w.status("Galera", "cloud-galera",
		not("NoStorageClass", "The cluster has no default class; set spec.storage.className.")+`}`)
	return w
}

// ages are how long ago something was, with the blanks that fill up a column.
var ages = regexp.MustCompile(`\b\d+[smhd]\b(  +)?`)

// ageless is a text that is the same at another time: AGE in place of ages, in columns as wide as they are.
func ageless(text string) string {
	return ages.ReplaceAllStringFunc(text, func(age string) string {
		if strings.HasSuffix(age, " ") {
			return fmt.Sprintf("%-*s", len(age), "AGE")
		}
		return "AGE"
	})
}

func TestStatus(t *testing.T) {
	w := newWorld(t, ready)
	r := w.run("status").want(t, exitDone)
	kittest.Golden(t, "testdata/status.txt", ageless(r.out))
	w = waiting(t)
	w.status("Galera", "cloud-galera", `{"steps":[{"name":"volumes","state":"Waiting",`+
		`"waitingFor":"StorageClass standard","since":"2026-01-02T03:04:05Z"},{"name":"config","state":"Done"},`+
		`{"name":"statefulset","state":"Blocked","waitingFor":"volumes"}]}`)
	r = w.run("status").want(t, exitNo)
	kittest.Golden(t, "testdata/status-waiting.txt", ageless(r.out))
}

// withHosts gives the control plane a Nova with a block of hosts.
func withHosts(t *testing.T) *world {
	t.Helper()
	w := newWorld(t, ready, "testdata/hosts.yaml")
	w.status("OpenStackControlPlane", "cloud", `{"inventory":[{"step":"nova","group":"service.stackwright.dev",`+
		`"kind":"Nova","namespace":"openstack","name":"cloud-nova","uid":"n"}]}`)
	return w
}

// The hosts of a control plane's cells are told with what is taken of them, those of other cells are not, and of many
// that are up only the first are listed.
func TestStatusOfHosts(t *testing.T) {
	w := withHosts(t)
	r := w.run("status").want(t, exitDone)
	kittest.Golden(t, "testdata/status-hosts.txt", ageless(r.out))
	kittest.Golden(t, "testdata/tree-hosts.txt", w.run("tree").want(t, exitDone).out)
	s := answers[survey](t, w, exitDone, "status")
	if len(s.Blocks) != 1 || len(s.Blocks[0].Hosts) != 3 || *s.Blocks[0].Hosts[0].Servers != 2 ||
		s.Blocks[0].Hosts[0].VCPUs.Used.Value() != 3 {
		t.Errorf("the answer is %+v", s.Blocks)
	}
	for i := range 20 {
		h := &fleetv1.Hypervisor{Spec: fleetv1.HypervisorSpec{Block: "first", Cell: "cloud-nova-cell1", Cloud: "c"}}
		h.Namespace, h.Name = "openstack", fmt.Sprintf("up-%02d", i)
		must(t, w.client.Create(t.Context(), h))
		w.status("Hypervisor", h.Name, `{"state":"up","observedGeneration":1,"conditions":[{"type":"Ready","status":"True",`+
			`"reason":"Ready","message":"","observedGeneration":1,"lastTransitionTime":"2026-01-02T03:04:05Z"}]}`)
	}
	out := w.run("status").want(t, exitDone).out
	for _, want := range []string{"21/23 up", "  and 13 more that are up", "  first-2", "  first-3"} {
		if !strings.Contains(out, want) {
			t.Errorf("%q is not told:\n%s", want, out)
		}
	}
}

func TestTreeOfAnObject(t *testing.T) {
	w := withHosts(t)
	b := answers[branch](t, w, exitDone, "tree", "buildingblock/first")
	if b.Kind != "BuildingBlock" || len(b.Children) != 3 {
		t.Errorf("the answer is %+v", b)
	}
	if b = answers[branch](t, w, exitDone, "tree", "nova"); b.Kind != "Nova" || len(b.Children) != 1 {
		t.Errorf("the answer is %+v", b)
	}
	for object, want := range map[string]string{
		"galera/none":           "namespace openstack has no Galera none; see kubectl get galera -n openstack",
		"deployment/none":       "namespace openstack has no Deployment none; see kubectl get deployment -n openstack",
		"statefulset/none":      "namespace openstack has no StatefulSet none",
		"secret/none":           "namespace openstack has no Secret none",
		"node/none":             "the cluster has no Node none; see kubectl get node\n",
		"openstackrelease/none": "the cluster has no OpenStackRelease none",
	} {
		if r := w.run("tree", object).want(t, exitFailed, want); r.out != "" {
			t.Errorf("of %s it shows\n%s", object, r.out)
		}
	}
	says(t, w.run("tree", "deployment/cloud-client").want(t, exitDone).out, `Deployment cloud-client  \[1/1 pods\]`)
	gone := &appsv1.Deployment{}
	gone.Namespace, gone.Name = "openstack", "cloud-keystone-api"
	must(t, w.client.Delete(t.Context(), gone))
	w.status("OpenStackControlPlane", "cloud", `{"inventory":[{"step":"keystone","group":"service.stackwright.dev",`+
		`"kind":"Keystone","namespace":"openstack","name":"cloud-keystone","uid":"b"}]}`)
	says(t, w.run("tree").want(t, exitDone).out, `   └─ Deployment cloud-keystone-api  \[gone\]`)
	w.run("tree", "spoon").want(t, exitUsage, "has no service spoon")
}

// answers decodes what -o json and -o yaml print; both have to say the same.
func answers[T any](t *testing.T, w *world, code int, args ...string) T {
	t.Helper()
	var fromJSON, fromYAML T
	must(t, json.Unmarshal([]byte(w.run(append(args, "-o", "json")...).want(t, code).out), &fromJSON))
	must(t, yaml.UnmarshalStrict([]byte(w.run(append(args, "-o", "yaml")...).want(t, code).out), &fromYAML))
	if diff := cmp.Diff(fromJSON, fromYAML); diff != "" {
		t.Errorf("yaml differs from json (-json +yaml):\n%s", diff)
	}
	return fromJSON
}

func TestStatusForPrograms(t *testing.T) {
	s := answers[survey](t, newWorld(t, ready), exitDone, "status")
	if s.Name != "cloud" || s.Namespace != "openstack" || !s.Ready || s.Release != "epoxy" || s.OpenStack != "2025.1" ||
		s.Clouds != "cloud-keystone-clouds" || len(s.Endpoints) != 1 {
		t.Errorf("the answer is %+v", s)
	}
	var names []string
	for _, p := range s.Services {
		names = append(names, p.Kind+" "+p.Name)
		if !p.Ready || p.Pods == 0 || p.PodsReady != p.Pods {
			t.Errorf("service %s is %+v", p.Name, p)
		}
	}
	if diff := cmp.Diff([]string{"Deployment client", "Galera galera", "Keystone keystone"}, names); diff != "" {
		t.Error(diff)
	}
	s = answers[survey](t, waiting(t), exitNo, "status")
	if s.Ready || s.Reason != "Waiting" {
		t.Errorf("the answer while it waits is %+v", s)
	}
}

// What a control plane keeps in its own cloud is a line when something is wrong with it, and none among the services.
func TestStatusOfTheCloudItself(t *testing.T) {
	w := newWorld(t, ready)
	w.status("Cloud", "cloud-keystone", `{"conditions":[{"type":"Ready","status":"False","reason":"Unavailable",`+
		`"message":"No answer from nova.","observedGeneration":1,"lastTransitionTime":"2026-01-02T03:04:05Z"}]}`)
	out := w.run("status").want(t, exitDone).out
	if !regexp.MustCompile(`(?m)^cloud keystone +no .*No answer from nova\.$`).MatchString(out) {
		t.Errorf("the Cloud that is not ready is not told:\n%s", out)
	}
}

// A verdict on an older spec is none.
func TestStatusOfAnUnseenChange(t *testing.T) {
	w := newWorld(t, ready)
	w.status("OpenStackControlPlane", "cloud", `{"observedGeneration":7}`)
	w.run("status").want(t, exitNo, "NotObserved: The last change has not been looked at yet.")
}

func TestTree(t *testing.T) {
	w := newWorld(t, ready)
	kittest.Golden(t, "testdata/tree.txt", w.run("tree").want(t, exitDone).out)
	root := answers[branch](t, w, exitDone, "tree")
	if root.Kind != "OpenStackControlPlane" || root.State != "ready" || len(root.Children) != 5 ||
		root.Children[1].Children[0].State != "2/2 pods" {
		t.Errorf("the answer is %+v", root)
	}
	r := waiting(t).run("tree").want(t, exitDone)
	kittest.Golden(t, "testdata/tree-waiting.txt", r.out)
}

func TestWhy(t *testing.T) {
	w := newWorld(t, ready)
	w.run("why").want(t, exitDone, "Everything is ready.")
	w.run("why", "keystone").want(t, exitDone, "Everything is ready.")
	w.run("why", "nova").want(t, exitUsage, "control plane cloud has no service nova; it has galera, keystone")
	w.run("why", "spoon/cloud").want(t, exitUsage, "kind spoon is not known")
	w = waiting(t)
	r := w.run("why").want(t, exitNo)
	kittest.Golden(t, "testdata/why.txt", ageless(r.out))
	w.run("why", "galera").want(t, exitNo, "First cause: Galera openstack/cloud-galera", "NoStorageClass")
	w.run("why", "galera/cloud-galera").want(t, exitNo, "NoStorageClass")
	w.run("why", "keystone").want(t, exitDone, "Everything is ready.")
	f := answers[*why.Finding](t, w, exitNo, "why")
	if f.Object.Kind != "OpenStackControlPlane" || f.First().Object.Name != "cloud-galera" ||
		f.First().Reason != "NoStorageClass" {
		t.Errorf("the answer is %+v because of %+v", f, f.First())
	}
}

// A Service of the catalog is not taken for the one of Kubernetes that has its name, neither where an Endpoint refers
// to it nor where Glance has made both.
func TestWhyOfTheCatalog(t *testing.T) {
	w := newWorld(t, ready, "testdata/catalog.yaml")
	w.status("OpenStackControlPlane", "cloud", `{"inventory":[{"step":"glance","group":"service.stackwright.dev",`+
		`"kind":"Glance","namespace":"openstack","name":"cloud-glance","uid":"g"}]}`)
	for _, waits := range []string{"Endpoint cloud-glance-internal", "Service cloud-glance"} {
		w.status("Glance", "cloud-glance", `{"steps":[{"name":"catalog","state":"Waiting","waitingFor":"`+waits+`"}]}`)
		w.run("why", "glance").want(t, exitNo, "First cause: Service openstack/cloud-glance, step resource: Denied",
			"You are not authorized", "What to do: correct the credentials, or give their user the right")
		f := answers[*why.Finding](t, w, exitNo, "why", "glance").First()
		if f.Object.Group != openstackv1.GroupVersion.Group {
			t.Errorf("waiting for %s, the first cause is a Service of group %q", waits, f.Object.Group)
		}
	}
}

// Without an argument the control plane is not all that is looked at: a block of hosts stands beside it.
func TestWhyBesideTheControlPlane(t *testing.T) {
	w := newWorld(t, ready)
	w.run("why").want(t, exitDone, "Not looked at: resources in OpenStack")
	w.load("testdata/hosts.yaml")
	r := w.run("why", "-A").want(t, exitNo, "Namespace openstack: NotReady: 2 objects are not ready",
		"BuildingBlock openstack/first (Ready): Waiting",
		"BuildingBlock openstack/foreign (Ready): NotObserved")
	if strings.Contains(r.out, "Nova openstack/cloud-nova: ") {
		t.Errorf("what is ready is told, too:\n%s", r.out)
	}
	gone := &fleetv1.BuildingBlock{}
	gone.Name, gone.Namespace = "foreign", "openstack"
	must(t, w.client.Delete(t.Context(), gone))
	if f := answers[*why.Finding](t, w, exitNo, "why"); f.Object.Kind != "BuildingBlock" || f.Object.Name != "first" {
		t.Errorf("the answer is %+v", f)
	}
	w.status("BuildingBlock", "first", `{"observedGeneration":1,"conditions":[{"type":"Ready","status":"True",`+
		`"reason":"Ready","message":"","lastTransitionTime":"2026-01-02T03:04:05Z"}],"inventory":[`+
		`{"step":"hosts","group":"fleet.stackwright.dev","kind":"Hypervisor","namespace":"openstack","name":"first-2",`+
		`"uid":"j"},{"step":"hosts","group":"fleet.stackwright.dev","kind":"Hypervisor","namespace":"openstack",`+
		`"name":"first-3","uid":"k"}]}`)
	w.run("why").want(t, exitDone, "Everything is ready.")
}

// A service that stands without a control plane is explained as well, and where there is nothing at all it is said.
func TestWhyWithoutControlPlane(t *testing.T) {
	w := newWorld(t)
	w.run("why").want(t, exitFailed, "namespace openstack has no control plane")
	w.load("testdata/hosts.yaml")
	w.run("why").want(t, exitNo, "BuildingBlock openstack/first (Ready): Waiting")
	w.load("testdata/second.yaml")
	w.load(ready)
	w.run("why").want(t, exitUsage, "has several control planes; choose with -c: cloud, second")
}

// What objects say of themselves is old where no operator works: that is told first, by who may look at Deployments.
func TestNobodyLooksAfterObjects(t *testing.T) {
	w := newWorld(t, ready)
	labels := map[string]string{"app.kubernetes.io/name": operatorRelease}
	d := &appsv1.Deployment{}
	d.Name, d.Namespace, d.Labels = operatorRelease, "system", labels
	d.Spec.Replicas, d.Spec.Selector = new(int32(1)), &metav1.LabelSelector{MatchLabels: labels}
	d.Spec.Template.Labels = labels
	d.Spec.Template.Spec.Containers = []corev1.Container{{Name: "operator", Image: "operator:1"}}
	must(t, w.client.Create(t.Context(), d))
	pod := &corev1.Pod{Spec: d.Spec.Template.Spec}
	pod.Name, pod.Namespace, pod.Labels = "operator-0", "system", labels
	must(t, w.client.Create(t.Context(), pod))
	pod.Status.Phase = corev1.PodPending
	pod.Status.ContainerStatuses = []corev1.ContainerStatus{{Name: "operator", State: corev1.ContainerState{
		Waiting: &corev1.ContainerStateWaiting{Reason: "ImagePullBackOff", Message: "no such host"}}}}
	must(t, w.client.Status().Update(t.Context(), pod))

	w.run("why").want(t, exitNo, "Deployment system/stackwright-operator: NoOperator: no pod of the operator is ready",
		"First cause: Pod system/operator-0", "ImagePullBackOff", "no such host")
	w.run("why", "keystone").want(t, exitNo, "First cause: Pod system/operator-0")
	w.run("why", "-n", "system", "pod/operator-0").want(t, exitNo, "Pod system/operator-0")
	w.run("status").want(t, exitNo, "not ready: NoOperator: no pod of the operator is ready",
		"kubectl -n system describe pods -l app.kubernetes.io/name=stackwright-operator")
	d.Spec.Replicas = new(int32(0))
	must(t, w.client.Update(t.Context(), d))
	w.run("why").want(t, exitNo, "What to do: kubectl -n system scale deployment/stackwright-operator --replicas=1")
	w.forbids = func(r *http.Request) bool { return strings.HasSuffix(r.URL.Path, "/v1/deployments") }
	w.run("why").want(t, exitDone, "Everything is ready.")
	w.forbids = nil
	d.Status.ReadyReplicas, d.Status.Replicas = 1, 1
	must(t, w.client.Status().Update(t.Context(), d))
	w.run("why").want(t, exitDone, "Everything is ready.")
	w.run("status").want(t, exitDone, "ready since")
}

// An object that nobody looks at, because the operator may not list what it takes, says which right is missing.
func TestWhyWithoutRights(t *testing.T) {
	w := newWorld(t, resourcesFile)
	pod := &corev1.Pod{}
	pod.Name, pod.Namespace = "operator-0", "openstack"
	pod.Labels = map[string]string{"app.kubernetes.io/name": operatorRelease}
	pod.Spec.ServiceAccountName = "operator"
	pod.Spec.Containers = []corev1.Container{{Name: "operator", Image: "operator:1",
		Args: []string{"--controllers=resources"}}}
	must(t, w.client.Create(t.Context(), pod))
	user := &openstackv1.User{Spec: openstackv1.UserSpec{Resource: &openstackv1.UserResource{}}}
	user.Name, user.Namespace = "late", "openstack"
	must(t, w.client.Create(t.Context(), user))
	w.run("why", "user/late").want(t, exitNo, "no operator has looked at User late yet")
	w.lists = func(resource string) bool { return resource != "domains" }
	w.run("why", "user/late").want(t, exitNo,
		"First cause: Pod openstack/operator-0, rights: RightMissing",
		"the operator does not look at objects of kind User: it may not list domains.openstack.stackwright.dev",
		"give ServiceAccount openstack/operator the right to get, list and watch domains.openstack.stackwright.dev")
	w.lists = func(string) bool { return true }
	if r := w.run("why", "user/late").want(t, exitNo); strings.Contains(r.out, "RightMissing") {
		t.Errorf("a right is missing that is there: %s", r.out)
	}
}

func TestWhichControlPlane(t *testing.T) {
	w := newWorld(t)
	w.run("status").want(t, exitFailed, "namespace openstack has no control plane; make one with `stackwright up`")
	w.load(ready)
	w.run("status", "-n", "elsewhere").want(t, exitFailed, "namespace elsewhere has no control plane")
	w.run("status", "-c", "other").want(t, exitFailed, "has no control plane other; it has cloud")
	w.load("testdata/second.yaml")
	w.run("status").want(t, exitUsage, "has several control planes; choose with -c: cloud, second")
	w.run("status", "-c", "cloud").want(t, exitDone, "openstack/cloud")
	w.run("status", "-c", "second").want(t, exitNo, "No operator has looked at it yet.")
}

func TestClouds(t *testing.T) {
	w := newWorld(t, ready)
	r := w.run("clouds-yaml").want(t, exitDone)
	file := regexp.MustCompile(`export OS_CLIENT_CONFIG_FILE=(\S+)`).FindStringSubmatch(r.err)
	if file == nil || !strings.HasPrefix(file[1], filepath.Join(w.state, "stackwright")+"/") {
		t.Fatalf("clouds.yaml is not in the state folder: %s", r.err)
	}
	kept, err := os.ReadFile(file[1])
	must(t, err)
	if string(kept) != r.out {
		t.Errorf("the file has\n%s\nand the terminal\n%s", kept, r.out)
	}
	var clouds struct {
		Clouds map[string]struct {
			CACert string `json:"cacert"`
		} `json:"clouds"`
	}
	must(t, yaml.Unmarshal(kept, &clouds))
	authority, err := os.ReadFile(clouds.Clouds["default"].CACert)
	if err != nil || string(authority) != "authority\n" {
		t.Errorf("the certificate at %q is %q: %v", clouds.Clouds["default"].CACert, authority, err)
	}
	info, err := os.Stat(file[1])
	must(t, err)
	if info.Mode().Perm() != 0o600 {
		t.Errorf("a file with a password has mode %s", info.Mode())
	}
	waiting(t).run("clouds-yaml").want(t, exitFailed, "has no clouds.yaml yet; see what it waits for: stackwright why")
}

func TestVersion(t *testing.T) {
	w := newWorld(t)
	w.run("version").want(t, exitDone)
	if v := answers[map[string]any](t, w, exitDone, "version"); len(v) == 0 {
		t.Error("version says nothing to programs")
	}
}
