package cli

import (
	"fmt"
	"regexp"
	"strings"
	"testing"

	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"stackwright.dev/kit/kittest"
	"stackwright.dev/kit/owner"

	controlplanev1 "stackwright.dev/stackwright/api/controlplane/v1alpha1"
	fleetv1 "stackwright.dev/stackwright/api/fleet/v1alpha1"
)

// pausedFor is the status of an object that was ready when it was paused: its operator adds one condition and leaves
// the rest, the generation that it has observed too.
func pausedFor(what string) string {
	return fmt.Sprintf(`{"conditions":[{"type":"Ready","status":"True","reason":"Ready","message":"",`+
		`"observedGeneration":1,"lastTransitionTime":"2026-01-02T03:04:05Z"},{"type":"Paused","status":"True",`+
		`"reason":"Paused","message":"The object is paused; remove %s to go on.","observedGeneration":2,`+
		`"lastTransitionTime":"2026-01-02T03:04:05Z"}]}`, what)
}

// says fails unless a text has a line for each expression.
func says(t *testing.T, text string, lines ...string) {
	t.Helper()
	for _, line := range lines {
		if !regexp.MustCompile(`(?m)^` + line + `$`).MatchString(text) {
			t.Errorf("no line is %s:\n%s", line, text)
		}
	}
}

// Who pauses an object raises its generation, which nobody looks at then: that is said, not that it is to come.
func TestStatusOfWhatIsPaused(t *testing.T) {
	w := newWorld(t, ready)
	o := &controlplanev1.OpenStackControlPlane{}
	o.Namespace, o.Name = "openstack", "cloud"
	must(t, w.client.Patch(t.Context(), o, client.RawPatch(types.MergePatchType, []byte(`{"spec":{"paused":true}}`))))
	w.status("OpenStackControlPlane", "cloud", pausedFor("spec.paused"))
	const why = `The object is paused; remove spec\.paused to go on\.`
	says(t, w.run("status").want(t, exitNo).out, `paused since \S+: `+why)
	says(t, w.run("tree").want(t, exitDone).out, `OpenStackControlPlane cloud  \[Paused\]  `+why)
	if s := answers[survey](t, w, exitNo, "status"); s.Ready || s.Reason != "Paused" || s.Since.IsZero() {
		t.Errorf("the answer is %+v", s.Readiness)
	}
	s, err := (&app{kubeconfig: w.kubeconfig}).survey(t.Context())
	must(t, err)
	if want := "client ready, galera ready, keystone ready | The object is paused"; s.oneLine() != want {
		t.Errorf("up says %q, want %q", s.oneLine(), want)
	}

	// By an annotation nothing is raised, and what it says of itself is from before.
	w = newWorld(t, ready)
	w.status("Keystone", "cloud-keystone", pausedFor("the annotation kit.stackwright.dev/paused"))
	says(t, w.run("status").want(t, exitDone).out, `keystone +paused +2/2 +\S+ +The object is paused; remove the `+
		`annotation kit\.stackwright\.dev/paused to go on\.`)
	says(t, w.run("tree").want(t, exitDone).out, `├─ Keystone cloud-keystone  \[Paused\]  The object is paused; .*`)
	if s, err := (&app{kubeconfig: w.kubeconfig}).survey(t.Context()); err != nil ||
		!strings.Contains(s.oneLine(), "keystone paused") {
		t.Errorf("a line of the watch is %q, %v", s.oneLine(), err)
	}
}

// notReady is the status of an object that is not ready for want of something, with a step for each pair of a name and
// of what it waits for.
func notReady(message string, steps ...string) string {
	var list []string
	for i := 0; i < len(steps); i += 2 {
		list = append(list, fmt.Sprintf(`{"name":%q,"state":"Waiting","waitingFor":%q,"since":"2026-01-02T03:04:05Z"}`,
			steps[i], steps[i+1]))
	}
	return fmt.Sprintf(`{"conditions":[{"type":"Ready","status":"False","reason":"Waiting","message":%q,`+
		`"observedGeneration":1,"lastTransitionTime":"2026-01-02T03:04:05Z"}],"steps":[%s]}`, message,
		strings.Join(list, ","))
}

// A cell that breaks does not take Nova with it, nor the agents of a block the block: below what is ready the steps are
// told that wait, too. At rest there is nothing to tell.
func TestStatusOfStepsBelow(t *testing.T) {
	w := withHosts(t)
	if out := w.run("status").want(t, exitDone).out; strings.Contains(out, "step") {
		t.Errorf("there is a step that is not done:\n%s", out)
	}
	w.status("OpenStackControlPlane", "cloud", notReady("Step nova-cells: NovaCell cloud-nova-cell1 is not ready.",
		"nova-cells", "NovaCell cloud-nova-cell1"))
	w.status("NovaCell", "cloud-nova-cell1", notReady("Step conductor: it waits.", "conductor", "Job cloud-nova-cell1-db"))
	w.load("testdata/chassis.yaml")
	w.status("BuildingBlock", "first", `{"inventory":[{"step":"chassis","group":"infra.stackwright.dev",`+
		`"kind":"OVNChassis","namespace":"openstack","name":"first","uid":"l"}]}`)
	w.status("OVNChassis", "first", notReady("Step daemons: it waits.", "daemons", "DaemonSet first-ovn-chassis"))
	out := w.run("status").want(t, exitNo).out
	says(t, out, `nova +yes +\S+`, `  step novacell/cloud-nova-cell1 conductor +waiting +\S+ +Job cloud-nova-cell1-db`,
		`  step ovnchassis/first daemons +waiting +\S+ +DaemonSet first-ovn-chassis`)

	// What is paused says so, in place of what it waited for before.
	w.status("NovaCell", "cloud-nova-cell1", pausedFor("spec.paused"))
	says(t, w.run("status").want(t, exitNo).out,
		`  step novacell/cloud-nova-cell1 +waiting +\S+ +The object is paused; remove spec\.paused to go on\.`)
}

// Of many steps below a service the first are listed, for the rest of the screen is needed as well.
func TestStatusOfManySteps(t *testing.T) {
	w := withHosts(t)
	var steps []string
	for i := range 11 {
		steps = append(steps, fmt.Sprintf("step%02d", i), fmt.Sprintf("Job job-%02d", i))
	}
	w.status("NovaCell", "cloud-nova-cell1", notReady("it waits", steps...))
	out := w.run("status").want(t, exitDone).out
	says(t, out, `  step novacell/cloud-nova-cell1 step07 +waiting .*`, ` +and 3 more steps`)
	if strings.Contains(out, "step08") {
		t.Errorf("more than eight are listed:\n%s", out)
	}
	if s := answers[survey](t, w, exitDone, "status"); len(s.Services[0].Steps) != 11 {
		t.Errorf("programs are told of %d steps", len(s.Services[0].Steps))
	}
}

// What fails tells why, be it by the condition of the step or by Ready.
func TestStatusOfFailedSteps(t *testing.T) {
	w := newWorld(t, ready)
	w.status("Keystone", "cloud-keystone", `{"conditions":[`+
		`{"type":"DBSyncReady","status":"False","reason":"Error","message":"the Job ended with 1; see its log",`+
		`"observedGeneration":1,"lastTransitionTime":"2026-01-02T03:04:05Z"},`+
		`{"type":"Ready","status":"False","reason":"Unavailable","message":"Step user: no answer","observedGeneration":1,`+
		`"lastTransitionTime":"2026-01-02T03:04:05Z"}],"steps":[`+
		`{"name":"db-sync","state":"Failed","since":"2026-01-02T03:04:05Z"},`+
		`{"name":"user","state":"Failed","since":"2026-01-02T03:04:05Z"}]}`)
	says(t, w.run("status").want(t, exitDone).out, `  step db-sync +failed +\S+ +the Job ended with 1; see its log`,
		`  step user +failed +\S+ +no answer`)
}

// building is a control plane that is being made, as its operator writes it: Keystone is on its way, what has to be
// known to it is not made yet, and of the other steps one has failed.
func building(t *testing.T) *world {
	t.Helper()
	w := newWorld(t, ready)
	w.status("Keystone", "cloud-keystone", notReady("Step api: Deployment cloud-keystone-api is not ready.",
		"api", "Deployment cloud-keystone-api"))
	const failed = "Secret cloud-notifications cannot be written: forbidden"
	step := func(name, state, on string) string {
		return fmt.Sprintf(`{"name":%q,"state":%q,"waitingFor":%q,"since":"2026-01-02T03:04:05Z"}`, name, state, on)
	}
	w.status("OpenStackControlPlane", "cloud", `{"clouds":null,"conditions":[`+
		`{"type":"Ready","status":"False","reason":"Unavailable","message":"Step notifications: `+failed+`",`+
		`"observedGeneration":1,"lastTransitionTime":"2026-01-02T03:04:05Z"},`+
		`{"type":"HeatReady","status":"False","reason":"Denied","message":"Heat cloud-heat cannot be made: forbidden",`+
		`"observedGeneration":1,"lastTransitionTime":"2026-01-02T03:04:05Z"}],"steps":[`+strings.Join([]string{
		step("galera", "Done", ""), step("keystone", "Waiting", "Keystone cloud-keystone"),
		step("client", "Blocked", "step keystone"), step("identity", "Blocked", "step keystone"),
		step("project", "Blocked", "step identity"), step("horizon", "Off", ""),
		step("notifications", "Failed", ""), step("nova-cells", "Blocked", "step nova"),
		step("glance", "Waiting", "Secret bucket"), step("placement", "Blocked", "step project"),
		step("nova", "Blocked", "step keystone"), step("heat", "Failed", ""), step("cinder", "Failed", ""),
	}, ",")+`]}`)
	return w
}

// While a control plane is made status tells of the services that are not made yet why, and of the control plane's own
// steps those that no service tells of.
func TestStatusWhileItIsMade(t *testing.T) {
	w := building(t)
	r := w.run("status").want(t, exitNo)
	kittest.Golden(t, "testdata/status-building.txt", ageless(r.out))
	says(t, r.out, `step notifications +failed +\S+ +Secret cloud-notifications cannot be written: forbidden`,
		`glance +no +\S+ +not yet: waits for Secret bucket`, `heat +no +\S+ +not yet: Heat cloud-heat .* forbidden`,
		`nova +no +\S+ +not yet: waits for step keystone`, `placement +no +\S+ +not yet: waits for step keystone`,
		`cinder +no +\S+ +not yet: waits for another try`)
	for _, silent := range []string{"horizon", "step nova-cells", "step identity", "step keystone +waiting"} {
		if regexp.MustCompile(`(?m)^` + silent).MatchString(r.out) {
			t.Errorf("it tells of %s:\n%s", silent, r.out)
		}
	}
	s := answers[survey](t, w, exitNo, "status")
	want := "client ready, galera ready, keystone 2/2, 5 to come | keystone: Step api: Deployment cloud-keystone-api is " +
		"not ready."
	if s.oneLine() != want {
		t.Errorf("a line of the watch is\n%s\nwant\n%s", s.oneLine(), want)
	}
	late := 0
	for _, p := range s.Services {
		if p.ToCome {
			late++
		}
	}
	if late != 5 || len(s.Steps) != 1 || s.Steps[0].Name != "notifications" || s.Steps[0].State != owner.StepFailed {
		t.Errorf("programs are told of %d services to come, and of %+v", late, s.Steps)
	}

	// A service that is there stays so while a change of it waits.
	w.status("OpenStackControlPlane", "cloud", `{"steps":[{"name":"galera","state":"Blocked","waitingFor":"step ca"},`+
		`{"name":"ca","state":"Waiting","waitingFor":"Secret authority","since":"2026-01-02T03:04:05Z"}]}`)
	says(t, w.run("status").want(t, exitNo).out, `galera +yes +1/1 +\S+`, `step ca +waiting +\S+ +Secret authority`)

	// Nothing comes to a control plane that goes.
	w = building(t)
	o := &controlplanev1.OpenStackControlPlane{}
	o.Namespace, o.Name = "openstack", "cloud"
	must(t, w.client.Patch(t.Context(), o, client.RawPatch(types.MergePatchType,
		[]byte(`{"metadata":{"finalizers":["kit.stackwright.dev/controlplane"]}}`))))
	must(t, w.client.Delete(t.Context(), o))
	if out := w.run("status").want(t, exitNo).out; strings.Contains(out, "not yet") {
		t.Errorf("services are to come while the control plane goes:\n%s", out)
	}
}

// Services to come give way to what is wrong on a terminal that is too small.
func TestServicesToComeGiveWay(t *testing.T) {
	s := crowded()
	for i := range 10 {
		s.Services[i].ToCome, s.Services[i].Readiness = true, Readiness{Message: "not yet: waits for step keystone"}
	}
	text := drawnOn(80, 12, s)
	for _, want := range []string{"service13   no", "step api"} {
		if !strings.Contains(text, want) {
			t.Errorf("12 lines lack %q:\n%s", want, text)
		}
	}
	if strings.Contains(text, "service09") {
		t.Errorf("12 lines have room for what is to come:\n%s", text)
	}
}

// Without a control plane what stands alone is told, a block of hosts once: in a tree below its cell.
func TestStatusWithoutControlPlane(t *testing.T) {
	w := withHosts(t)
	o := &controlplanev1.OpenStackControlPlane{}
	o.Namespace, o.Name = "openstack", "cloud"
	must(t, w.client.Delete(t.Context(), o))
	r := w.run("status").want(t, exitNo)
	kittest.Golden(t, "testdata/status-alone.txt", ageless(r.out))
	says(t, r.out, "openstack  no control plane; these objects stand alone", "2 of 5 objects are not ready",
		`galera/cloud-galera +yes +1/1 +\S+`, `first +1/3 up .*`, `foreign +0/0 up +No operator has looked at it yet\.`)
	kittest.Golden(t, "testdata/tree-alone.txt", w.run("tree").want(t, exitDone).out)
	if b := answers[branch](t, w, exitDone, "tree"); b.Kind != "Namespace" || len(b.Children) != 4 {
		t.Errorf("the tree is %+v", b)
	}
	s := answers[survey](t, w, exitNo, "status")
	if s.Name != "" || s.Ready || len(s.Services) != 3 || len(s.Blocks) != 2 {
		t.Errorf("the answer is %+v", s)
	}
	want := "galera/cloud-galera ready, keystone/cloud-keystone ready, nova/cloud-nova ready, block first 1/3 up (not " +
		"first-2, first-3), block foreign 0/0 up | 2 of 5 objects are not ready"
	if s.oneLine() != want {
		t.Errorf("a line of the watch is\n%s\nwant\n%s", s.oneLine(), want)
	}
	for _, verb := range []string{"status", "tree", "why"} { // who names one does not ask for anything else
		w.run(verb, "-c", "cloud").want(t, exitFailed, "namespace openstack has no control plane")
	}
	for _, name := range []string{"first", "foreign"} {
		b := &fleetv1.BuildingBlock{}
		b.Namespace, b.Name = "openstack", name
		must(t, w.client.Delete(t.Context(), b))
		for i := range 3 {
			h := &fleetv1.Hypervisor{}
			h.Namespace, h.Name = "openstack", fmt.Sprintf("%s-%d", name, i+1)
			must(t, client.IgnoreNotFound(w.client.Delete(t.Context(), h)))
		}
	}
	says(t, w.run("status").want(t, exitDone).out, "all of them are ready")
}
