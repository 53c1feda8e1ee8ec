package cli

import (
	"fmt"
	"regexp"
	"strings"
	"testing"

	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"

	controlplanev1 "stackwright.dev/stackwright/api/controlplane/v1alpha1"
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
