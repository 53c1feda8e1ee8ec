package cli

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"
	"time"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"stackwright.dev/kit/why"

	infrav1 "stackwright.dev/stackwright/api/infra/v1alpha1"
	"stackwright.dev/stackwright/internal/cli/progress"
)

// galera is what a Galera says that is not ready, and has a step in that state.
func galera(state, reason, more string) string {
	const says = "Step config: wsrep_on cannot be set; take it out of spec.config"
	condition := func(name, status string) string {
		return fmt.Sprintf(`{"type":%q,"status":%q,"reason":%q,"message":%q,"observedGeneration":1,`+
			`"lastTransitionTime":"2026-01-02T03:04:05Z"}`, name, status, reason, says)
	}
	conditions := condition("Ready", "False")
	if more != "" {
		conditions += "," + condition(more, "True")
	}
	return `{"conditions":[` + conditions + `],"steps":[{"name":"config","state":"` + state + `"}]}`
}

// Only what has to be changed by somebody, as what is paused, ends a wait: not what is tried again, what may still
// come, nor what was said of another generation.
func TestRefusal(t *testing.T) {
	const refused = "Galera openstack/cloud-galera is not tried again as it is: InvalidSpec: Step config: wsrep_on " +
		"cannot be set; take it out of spec.config; then run up again"
	const held = "Galera openstack/cloud-galera is not tried again as it is: Paused: The object is paused; remove " +
		"spec.paused to go on; then run up again"
	invalid := galera("Failed", "InvalidSpec", "Stalled")
	for name, c := range map[string]struct{ status, want string }{
		"refused":             {invalid, refused},
		"tried again":         {galera("Failed", "Unavailable", "Reconciling"), ""},
		"waits for long":      {galera("Waiting", "Waiting", "Stalled"), ""},
		"changed in between":  {strings.Replace(invalid, "{", `{"observedGeneration":0,`, 1), ""},
		"paused":              {pausedFor("spec.paused"), held},
		"another step failed": {strings.Replace(invalid, `"name":"config"`, `"name":"c"`, 1), ""},
	} {
		t.Run(name, func(t *testing.T) {
			w := waiting(t)
			w.status("Galera", "cloud-galera", c.status)
			f, err := (&app{kubeconfig: w.kubeconfig}).explain(t.Context(), "")
			must(t, err)
			got := ""
			if err := refusal(t.Context(), w.client, f); err != nil {
				got = err.Error()
			}
			if got != c.want {
				t.Errorf("the refusal is %q, want %q", got, c.want)
			}
		})
	}
}

// The object itself may be refused while all that is found further down is on its way.
func TestRefusalAboveTheFirstCause(t *testing.T) {
	w := waiting(t)
	w.status("Galera", "cloud-galera", galera("Failed", "InvalidSpec", "Stalled"))
	f := &why.Finding{Object: why.Object{Kind: "Galera", Namespace: "openstack", Name: "cloud-galera"},
		Because: []*why.Finding{{Object: why.Object{Kind: "Pod", Namespace: "openstack", Name: "cloud-galera-0"}}}}
	if err := refusal(t.Context(), w.client, f); err == nil || !strings.Contains(err.Error(), "wsrep_on") {
		t.Errorf("the refusal is %v", err)
	}
}

// up ends once it waits for what was refused, and tells of it, and not before nothing has changed for a while.
func TestUpEndsAtARefusal(t *testing.T) {
	w := waiting(t)
	w.status("Galera", "cloud-galera", galera("Failed", "InvalidSpec", "Stalled"))
	wait := func(patience, most time.Duration) error {
		u := &ascent{app: &app{kubeconfig: w.kubeconfig, out: io.Discard, err: io.Discard}, patience: patience}
		ctx, cancel := context.WithTimeout(t.Context(), most)
		defer cancel()
		return u.await(ctx, w.client, progress.New(&bytes.Buffer{}, false, 80).Start("openstack"), &arrival{})
	}
	err := wait(time.Millisecond, 20*time.Second)
	const want = "waiting for OpenStackControlPlane cloud: Galera openstack/cloud-galera is not tried again as it is: "
	if err == nil || code(t.Context(), err) != exitFailed || !strings.HasPrefix(err.Error(), want) {
		t.Errorf("it ends with %v", err)
	}
	if err := wait(time.Minute, 2*time.Second); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("it does not wait but ends with %v", err)
	}
}

// The hosts and the objects of the demo are waited for in the same way.
func TestFollowEndsAtARefusal(t *testing.T) {
	w := waiting(t)
	w.status("Galera", "cloud-galera", galera("Failed", "InvalidSpec", "Stalled"))
	lacking := &unstructured.Unstructured{}
	lacking.SetGroupVersionKind(infrav1.GroupVersion.WithKind("Galera"))
	lacking.SetNamespace("openstack")
	lacking.SetName("cloud-galera")
	wait := func(patience, most time.Duration) error {
		u := &ascent{app: &app{kubeconfig: w.kubeconfig, out: io.Discard, err: io.Discard}, patience: patience}
		ctx, cancel := context.WithTimeout(t.Context(), most)
		defer cancel()
		return u.follow(ctx, progress.New(&bytes.Buffer{}, false, 80).Start("hosts"), func(context.Context) (lack, error) {
			return lack{"Galera is not ready", lacking}, nil
		})
	}
	const want = "waiting for Galera cloud-galera: Galera openstack/cloud-galera is not tried again as it is: "
	if err := wait(time.Millisecond, 20*time.Second); err == nil || !strings.HasPrefix(err.Error(), want) {
		t.Errorf("it ends with %v", err)
	}
	if err := wait(time.Minute, 2*time.Second); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("it does not wait but ends with %v", err)
	}
}
