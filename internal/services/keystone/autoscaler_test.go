package keystone_test

import (
	"net/http"
	"os"
	"sync/atomic"
	"testing"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/labels"
	"sigs.k8s.io/yaml"

	"stackwright.dev/kit/kittest"
)

const api = "Deployment/cloud/identity-api"

func autoscaler(t *testing.T) *unstructured.Unstructured {
	t.Helper()
	text, err := os.ReadFile("testdata/autoscaler.yaml")
	must(t, err)
	u := &unstructured.Unstructured{}
	must(t, yaml.Unmarshal(text, &u.Object))
	return u
}

func replicas(p *kittest.Play) int64 {
	p.T.Helper()
	n, _, err := unstructured.NestedInt64(p.Object(api).Object, "spec", "replicas")
	must(p.T, err)
	return n
}

func wantReplicas(p *kittest.Play, when string, want int64) {
	p.T.Helper()
	if got := replicas(p); got != want {
		p.T.Errorf("%s the Deployment has %d replicas, want %d", when, got, want)
	}
}

// steady fails for each write of the operator while f runs after which the Deployment does not have that many replicas.
func steady(p *kittest.Play, want int64, f func()) {
	p.T.Helper()
	var wrong atomic.Int64
	p.Suffer(func(x *kittest.Exchange, send func() (*http.Response, error)) (*http.Response, error) {
		answer, err := send()
		if x.Write() && replicas(p) != want {
			wrong.Add(1)
		}
		return answer, err
	})
	f()
	p.Suffer(nil)
	if n := wrong.Load(); n > 0 {
		p.T.Errorf("%d writes left the Deployment with another number of replicas than %d", n, want)
	}
	wantReplicas(p, "in the end", want)
}

// A number of replicas passes from the object to an autoscaler and back, and is never anything in between: what we only
// left out would be one pod until the autoscaler has looked.
func handsOver(p *kittest.Play, scale func(to int64)) {
	p.T.Helper()
	expiration := int64(600)
	option := func() {
		expiration++
		p.Change(identity, "spec.config", map[string]any{"token": map[string]any{"expiration": expiration}})
		p.Settle()
	}
	p.Ready()
	steady(p, 3, func() {
		p.Create(autoscaler(p.T))
		p.Settle()
		p.Change(identity, "spec.replicas", int64(4))
		option()
	})
	for _, to := range []int64{5, 3, 7} {
		scale(to)
		steady(p, to, func() { p.Settle(); option() })
	}
	steady(p, 7, func() { p.Restart(); p.Settle(); p.Ready() })
	if _, writes := p.During(p.Settle); len(writes) > 0 {
		p.T.Errorf("at rest it wrote %v", writes)
	}
	p.Remove("HorizontalPodAutoscaler/cloud/identity-api")
	p.Settle()
	wantReplicas(p, "without the autoscaler", 4)
	p.Change(identity, "spec.replicas", int64(2))
	p.Settle()
	p.Ready()
	wantReplicas(p, "without the autoscaler, and with a new number,", 2)
}

func TestAutoscalerTakesOver(t *testing.T) {
	kittest.New(t, scenario(t, "spec: {replicas: 3}")).Run(t, func(p *kittest.Play) {
		handsOver(p, func(to int64) { p.Change(api, "spec.replicas", to) })
	})
}

// While an autoscaler targets the Deployment, the number of replicas is the autoscaler's, from when it was there first.
func TestAutoscalerOwnsReplicas(t *testing.T) {
	s := scenario(t, "spec: {replicas: 3}")
	s.Files = append(s.Files, "testdata/autoscaler.yaml")
	kittest.New(t, s).Run(t, func(p *kittest.Play) {
		p.Settle()
		wantReplicas(p, "made beside an autoscaler", 3)
		p.Change(api, "spec.replicas", int64(5))
		p.Settle()
		if got := writes(p, func() { p.Change(identity, "spec.replicas", int64(2)) }); len(got) > 0 {
			t.Errorf("it wrote %v", got)
		}
		wantReplicas(p, "with a new number in the object", 5)
	})
}

// Autoscalers leave alone what has no pods. Who has stopped the API and starts it again finds them scaling.
func TestAutoscalerOfStoppedAPI(t *testing.T) {
	s := scenario(t, "spec: {replicas: 0}")
	s.Files = append(s.Files, "testdata/autoscaler.yaml")
	kittest.New(t, s).Run(t, func(p *kittest.Play) {
		p.Settle()
		wantReplicas(p, "stopped", 0)
		p.Change(identity, "spec.replicas", int64(2))
		p.Settle()
		wantReplicas(p, "started", 2)
		p.Change(identity, "spec.replicas", int64(4))
		p.Settle()
		wantReplicas(p, "started, and with a new number in the object,", 2)
	})
}

// Autoscalers that target the object count its pods by what its status says.
func TestStatusIsForAutoscalers(t *testing.T) {
	kittest.New(t, scenario(t, "spec: {replicas: 3}")).Run(t, func(p *kittest.Play) {
		p.Ready()
		status, _, err := unstructured.NestedMap(p.Object(identity).Object, "status")
		must(t, err)
		if status["replicas"] != int64(3) {
			t.Errorf("status.replicas is %v", status["replicas"])
		}
		text, _ := status["selector"].(string)
		selector, err := labels.Parse(text)
		must(t, err)
		if text == "" || selector.Empty() {
			t.Fatalf("status.selector is %q, which selects everything", text)
		}
		for _, u := range p.Objects() {
			pod, found, err := unstructured.NestedStringMap(u.Object, "spec", "template", "metadata", "labels")
			must(t, err)
			if is := u.GetKind() == "Deployment"; found && selector.Matches(labels.Set(pod)) != is {
				t.Errorf("status.selector %q and the pods of %s %s with labels %v", text, u.GetKind(), u.GetName(), pod)
			}
		}
	})
}
