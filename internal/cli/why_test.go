package cli

import (
	"bytes"
	"cmp"
	"encoding/json"
	"net/http"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"stackwright.dev/kit/kittest"
	"stackwright.dev/kit/outcome"
	"stackwright.dev/kit/why"

	openstackv1 "stackwright.dev/stackwright/api/openstack/v1alpha1"
	"stackwright.dev/stackwright/internal/openstack"
)

// Each cause comes with what to do about it, once, and with -A all of them do.
func TestWhyTellsWhatToDoAboutEachCause(t *testing.T) {
	claim := func(name, do string) *why.Finding {
		return &why.Finding{Object: why.Object{Kind: "PersistentVolumeClaim", Namespace: "openstack", Name: name},
			Reason: "NodeGone", Message: "its volume is on node three", Do: do}
	}
	of := func(kind, name, do string, because ...*why.Finding) *why.Finding {
		return &why.Finding{Object: why.Object{Kind: kind, Namespace: "openstack", Name: name}, Reason: "Waiting",
			Message: "it waits", Do: do, Because: because}
	}
	f := of("OpenStackControlPlane", "cloud", "",
		of("Galera", "cloud-galera", "", claim("data-cloud-galera-0", "delete pvc/data-cloud-galera-0")),
		of("RabbitMQ", "cloud-rabbitmq", "see the logs", claim("data-cloud-rabbitmq-0", "delete pvc/data-cloud-rabbitmq-0"),
			claim("data-cloud-galera-0", "delete pvc/data-cloud-galera-0")),
		of("Memcached", "cloud-memcached", "look at it", of("Pod", "cloud-memcached-0", "")))
	var one, all bytes.Buffer
	(&app{out: &one}).showWhy(f, false)
	kittest.Golden(t, "testdata/why-one.txt", one.String())
	(&app{out: &all}).showWhy(f, true)
	kittest.Golden(t, "testdata/why-all.txt", all.String())
}

// Whatever OpenStack answers, what to do is what its answer is known to ask for, also where it has words that the API
// server has, too.
func TestWhyGivesTheAdviceOfOpenStack(t *testing.T) {
	w := newWorld(t)
	user := &openstackv1.User{Spec: openstackv1.UserSpec{Resource: &openstackv1.UserResource{}}}
	user.Name, user.Namespace = "ann", "openstack"
	must(t, w.client.Create(t.Context(), user))
	for class := openstack.Unknown; class <= openstack.Unavailable; class++ {
		f := &openstack.Fault{Class: class, Service: "nova", Method: http.MethodPost, Path: "/servers/1/action", Code: 409,
			Message: "Cannot 'resize' instance 1; exceeded quota: no valid host"}
		out := outcome.FromError(openstack.Outcome(f))
		status, err := json.Marshal(map[string]any{"observedGeneration": 1, "conditions": []metav1.Condition{{Type: "Ready",
			Status: metav1.ConditionFalse, Reason: cmp.Or(out.Reason, out.Class.String()), Message: out.Message,
			ObservedGeneration: 1, LastTransitionTime: metav1.Now()}}})
		must(t, err)
		w.status("User", "ann", string(status))
		w.run("why", "user/ann").want(t, exitNo, "no valid host\nWhat to do: "+f.Advice()+"\n")
	}
}
