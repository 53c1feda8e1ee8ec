//go:build e2e

package e2e

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	controlplanev1 "stackwright.dev/stackwright/api/controlplane/v1alpha1"
	servicev1 "stackwright.dev/stackwright/api/service/v1alpha1"
	"stackwright.dev/stackwright/test/e2e/story"
)

// waiting is a stack that is done when somebody says so who has no token, as its servers do.
const waiting = `
heat_template_version: 2021-04-16
resources:
  word: {type: OS::Heat::RandomString, properties: {length: 12}}
  network: {type: OS::Neutron::Net, properties: {name: of-the-stack}}
  handle: {type: OS::Heat::WaitConditionHandle, properties: {signal_transport: CFN_SIGNAL}}
  told: {type: OS::Heat::WaitCondition, properties: {handle: {get_resource: handle}, timeout: 120}}
outputs:
  word: {value: {get_attr: [word, value]}}
  signal: {value: {get_attr: [handle, signal]}}
`

// Heat is asked for by one word. A stack with a network is made by the client, told by its other API that it may go on,
// and deleted; another one stands for an object. Nothing of them is left.
func TestHeatStacks(t *testing.T) {
	story.Slow(t)
	w := story.Start(t)
	cp := w.Cloud()
	heat := &servicev1.Heat{ObjectMeta: metav1.ObjectMeta{Namespace: cp.Namespace, Name: "openstack-heat"}}
	neutron := &servicev1.Neutron{ObjectMeta: metav1.ObjectMeta{Namespace: cp.Namespace, Name: "openstack-neutron"}}
	asked := w.Change(cp)
	asked.Spec.Services.Heat = &controlplanev1.HeatService{}
	asked.Spec.Services.Neutron = &controlplanev1.NeutronService{}
	w.Apply(asked.DeepCopy())
	t.Logf("Heat is ready after %s", w.Ready(story.UpToReady, heat))
	w.Ready(story.UpToReady, neutron)
	w.Ready(time.Minute, cp)

	if _, err := inClient(t.Context(), w, cp.Namespace, "sh", "-c", "echo '"+waiting+"' > /tmp/stack.yaml"); err != nil {
		t.Fatal(err)
	}
	w.OpenStack("stack", "create", "--template", "/tmp/stack.yaml", "made")
	offerCloud(w)
	objects := manifest(w, "testdata/stack.yaml")
	everyKind(w, objects, "orchestration")
	for _, o := range objects {
		w.Apply(o)
	}
	signal(w, cp.Namespace, "made")
	w.Eventually(time.Minute, "the stack is made", w.Prints("CREATE_COMPLETE", "stack", "show", "made"))
	word := w.OpenStack("stack", "output", "show", "made", "word", "-f", "value", "-c", "output_value")
	if len(word) != 12 {
		t.Errorf("the word of the stack is %q", word)
	}
	if out := w.OpenStack("network", "list"); !strings.Contains(out, "of-the-stack") {
		t.Errorf("the stack has no network: %s", out)
	}
	w.Eventually(time.Minute, "objects are ready", func(ctx context.Context) error { return allReady(ctx, w, objects) })
	removeAll(w, objects)
	w.OpenStack("stack", "delete", "--yes", "--wait", "made")
	if out := w.OpenStack("network", "list", "-f", "value"); out != "" {
		t.Errorf("without stacks there are networks: %s", out)
	}

	w.Apply(w.Change(cp))
	w.Gone(time.Minute, heat)
	w.Gone(2*time.Minute, neutron)
	unlisted(w, "heat")
}

// signal tells a stack as its servers do, by a signed request to the API for servers, that it may go on.
func signal(w *story.World, namespace, stack string) {
	w.Helper()
	w.Eventually(time.Minute, "the stack is told", func(ctx context.Context) error {
		out, err := w.Cluster.Stackwright(ctx, "openstack", "stack", "output", "show", stack, "signal",
			"-f", "value", "-c", "output_value")
		if err != nil {
			return err
		}
		var call struct {
			URL string `json:"alarm_url"`
		}
		if err := json.Unmarshal([]byte(out), &call); err != nil {
			return fmt.Errorf("the output is %q: %w", out, err)
		}
		_, err = inClient(ctx, w, namespace, "curl", "--fail", "--silent", "--show-error", "--max-time", "20",
			"--cacert", "/etc/openstack/ca.crt", "-X", "PUT", "-H", "Content-Type: application/json",
			"--data", `{"status": "SUCCESS"}`, call.URL)
		return err
	})
}
