package operator

import (
	"context"
	"encoding/json"
	"flag"
	"net/http"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"stackwright.dev/kit"
	"stackwright.dev/kit/kittest"

	"stackwright.dev/stackwright/internal/agent/ovsdb"
	galerafake "stackwright.dev/stackwright/internal/infra/galera/fake"
	memberfake "stackwright.dev/stackwright/internal/infra/member/fake"
	rabbitfake "stackwright.dev/stackwright/internal/infra/rabbitmq/fake"
)

const (
	cloud = "OpenStackControlPlane/cloud/first"
	block = "BuildingBlock/cloud/rack"
	ceph  = "DevCeph/cloud/ceph"
)

// uid is how managed fields name owner references; hash ends the names of Jobs and of revisions of a configuration.
var (
	uid  = regexp.MustCompile(`[0-9a-f]{8}-[0-9a-f-]{27}`)
	hash = regexp.MustCompile(`-([0-9a-f]{16}|[0-9a-f]{8})$`)
)

// perService is one operator for each service, as the chart's values propose.
func perService() []string {
	return []string{"--controllers=controlplane", "--controllers=galera,database", "--controllers=rabbitmq,messagebus",
		"--controllers=memcached", "--controllers=ovn,ovnchassis", "--controllers=keystone", "--controllers=glance",
		"--controllers=placement", "--controllers=neutron", "--controllers=nova", "--controllers=novacell",
		"--controllers=barbican", "--controllers=heat", "--controllers=cinder", "--controllers=horizon",
		"--controllers=devceph", "--controllers=buildingblock", "--controllers=resources"}
}

// perComponent is one operator for each controller, and for each component of those that have several.
func perComponent() []string {
	var out []string
	for _, e := range registry() {
		if len(e.Components) == 0 {
			out = append(out, "--controllers="+e.Name)
		}
		for _, c := range e.Components {
			out = append(out, "--controllers="+e.Name+"/"+c)
		}
	}
	return out
}

// agents answers for the pods of Galera, RabbitMQ and OVN.
type agents struct {
	galera *galerafake.Members
	rabbit *rabbitfake.Members
	ovn    *memberfake.Members
}

// southbound is what OVN's database knows of chassis: the node of the block, until its record is removed.
func southbound() memberfake.More {
	var mu sync.Mutex
	rows := []ovsdb.Chassis{{Name: "node-1", Set: "rack", Datapath: "system", Address: "10.0.0.1"}}
	return func(what string, body []byte) (any, bool) {
		mu.Lock()
		defer mu.Unlock()
		switch what {
		case "GET /v1/chassis":
			return slices.Clone(rows), true
		case "DELETE /v1/chassis":
			gone := memberfake.Decode[ovsdb.Chassis](body).Name
			rows = slices.DeleteFunc(slices.Clone(rows), func(c ovsdb.Chassis) bool { return c.Name == gone })
			return struct{}{}, true
		}
		return nil, false
	}
}

// RoundTrip leads to the agent of the pod that the host names.
func (a *agents) RoundTrip(r *http.Request) (*http.Response, error) {
	if strings.HasPrefix(r.URL.Host, "first-rabbitmq-") {
		return a.rabbit.RoundTrip(r)
	}
	if strings.HasPrefix(r.URL.Host, "first-ovn-") {
		return a.ovn.RoundTrip(r)
	}
	return a.galera.RoundTrip(r)
}

// serving makes as many pods of a StatefulSet ready as members serve.
func serving(count func(*agents) int64) kittest.Behaviour {
	return func(p *kittest.Play, u *unstructured.Unstructured) map[string]any {
		a, ok := p.Outside.(*agents)
		if !ok {
			p.T.Fatalf("outside is a %T", p.Outside)
		}
		status := kittest.Ready(p, u)
		want, _, _ := unstructured.NestedInt64(u.Object, "spec", "replicas")
		status["readyReplicas"], status["availableReplicas"] = min(count(a), want), min(count(a), want)
		return status
	}
}

// process makes the controllers of an operator that was started with these arguments, as New does.
func process(t *testing.T, args string) func(http.RoundTripper) ([]kit.Controller, error) {
	t.Helper()
	var o Options
	flags := flag.NewFlagSet("stackwright-operator", flag.ContinueOnError)
	o.Flags(flags)
	if err := flags.Parse(strings.Fields(args)); err != nil {
		t.Fatal(err)
	}
	return func(outside http.RoundTripper) ([]kit.Controller, error) {
		known := Registry(Environment{
			Releases: func(context.Context) ([]string, error) { return []string{"epoxy"}, nil },
			Galera:   galerafake.Dial(outside), RabbitMQ: rabbitfake.Dial(outside),
			OVN: memberfake.Dial(outside),
			// There is no Keystone that could be asked, so what stands for resources of OpenStack is made ready below.
			Served: func(string) bool { return false },
		})
		selection, err := Select(o.Controllers, known.Components())
		if err != nil {
			return nil, err
		}
		return known.Build(selection)
	}
}

// scenario is a whole control plane, hosts of its servers and a Ceph that operators with these arguments run.
func scenario(t *testing.T, operators ...string) kittest.Scenario {
	t.Helper()
	s := kittest.Scenario{
		Scheme:      Scheme(),
		Controllers: process(t, operators[0]),
		CRDs:        []string{"../../charts/stackwright-operator/crds"},
		Files:       []string{"testdata/cloud.yaml"},
		Outside: func() http.RoundTripper {
			return &agents{galerafake.New(), rabbitfake.New(), memberfake.New(southbound())}
		},
		Children: map[string]kittest.Behaviour{
			"StatefulSet/first-galera":   serving(func(a *agents) int64 { return a.galera.Serving("first-galera") }),
			"StatefulSet/first-rabbitmq": serving(func(a *agents) int64 { return a.rabbit.Serving("first-rabbitmq") }),
			"StatefulSet/first-ovn-nb":   serving(func(a *agents) int64 { return a.ovn.Serving("first-ovn-nb") }),
			"StatefulSet/first-ovn-sb":   serving(func(a *agents) int64 { return a.ovn.Serving("first-ovn-sb") }),
		},
	}
	for _, resource := range []string{"Cloud", "Project", "User", "RoleAssignment", "Endpoint",
		"Service/first-glance", "Service/first-placement", "Service/first-neutron", "Service/first-nova",
		"Service/first-barbican", "Service/first-heat", "Service/first-heat-cfn", "Service/first-cinder", "Domain",
		"Role", "HostAggregate", "AggregateHost"} {
		s.Children[resource] = kittest.With(kittest.Told("True", "Ready", ""), map[string]any{"id": "0a1b"})
	}
	// It is no resource, and has no id, which a real API server would drop again and again.
	s.Children["Cloud"] = kittest.Told("True", "Ready", "")
	s.Children["Hypervisor"] = kittest.With(kittest.Told("True", "Ready", ""), map[string]any{"vacancy": "Vacant"})
	for _, args := range operators[1:] {
		s.Beside = append(s.Beside, process(t, args))
	}
	return s
}

// state is all objects but for what is generated, with who owns which field.
func state(p *kittest.Play) []string {
	p.T.Helper()
	out := strings.Split(p.Snapshot(), "\n")
	for _, u := range p.Objects() {
		var owned []string
		for _, f := range u.GetManagedFields() {
			text, err := json.Marshal(f.FieldsV1)
			if err != nil {
				p.T.Fatal(err)
			}
			owned = append(owned, uid.ReplaceAllString(strings.Join([]string{f.Manager, string(f.Operation), f.Subresource,
				string(text)}, " "), "UID"))
		}
		slices.Sort(owned)
		name := hash.ReplaceAllString(u.GetName(), "-HASH")
		out = append(out, u.GetKind()+"/"+name+" is owned by "+strings.Join(owned, "; "))
	}
	slices.Sort(out[len(out)-len(p.Objects()):])
	return out
}

// lifetime brings a control plane up, changes it and deletes it, and calls at after each.
func lifetime(p *kittest.Play, at func(stage string)) {
	p.Ready()
	at("made")
	p.Change("OpenStackRelease/epoxy", "spec.images.keystone", "images.test/keystone:2")
	p.Change("OpenStackRelease/epoxy", "spec.images.mariadb", "images.test/mariadb:2")
	p.Settle()
	p.Ready()
	p.Change(cloud, "spec.services", map[string]any{
		"memcached": map[string]any{"enabled": false},
		"glance":    map[string]any{"workers": int64(3)},
		"placement": map[string]any{"replicas": int64(2)},
		"neutron":   map[string]any{"rpc": map[string]any{"replicas": int64(2)}},
		"barbican":  map[string]any{"keyGeneration": int64(2)},
		"heat":      map[string]any{"engine": map[string]any{"replicas": int64(2)}},
		"nova":      map[string]any{"cells": []any{map[string]any{"name": "cell1"}, map[string]any{"name": "second"}}},
		"keystone": map[string]any{"replicas": int64(3),
			"config": map[string]any{"token": map[string]any{"expiration": int64(7200)}}},
	})
	p.Settle()
	p.Ready()
	at("changed")
	// Cinder was taken out by that change. What it kept goes with the control plane.
	if p.Object("Cinder/first-cinder") != nil || p.Object("Secret/first-cinder-user") == nil {
		p.T.Error("Cinder is still there, or has kept nothing")
	}
	for _, beside := range []string{block, ceph} {
		p.Remove(beside)
		p.Settle()
	}
	p.Change(cloud, "spec.deletionPolicy", "Delete")
	p.Change(cloud, "spec.confirmDeletion", "first")
	p.Settle()
	p.Remove(cloud)
	p.Settle()
	p.Empty()
	at("deleted")
}

// One operator for all, one for each service and one for each component make the same objects of one control plane. The
// race detector, which makes it take minutes, sees the controllers side by side in the first of them.
func TestAnySplitMakesTheSame(t *testing.T) {
	want := outcomes(t, "--controllers=")
	if n := len(want["made"]); n < 50 {
		t.Fatalf("only %d lines came of a control plane", n)
	}
	splits := map[string][]string{"services": perService(), "components": perComponent()}
	if testing.Short() {
		splits = nil
	}
	for split, operators := range splits {
		if diff := cmp.Diff(want, outcomes(t, operators...)); diff != "" {
			t.Errorf("%d operators, one for each of the %s, differ from one for all (-one +split):\n%s",
				len(operators), split, diff)
		}
	}
}

// outcomes is the state after each stage of a control plane's life.
func outcomes(t *testing.T, operators ...string) map[string][]string {
	t.Helper()
	out := map[string][]string{}
	kittest.New(t, scenario(t, operators...)).Run(t, func(p *kittest.Play) {
		lifetime(p, func(stage string) { out[stage] = state(p) })
	})
	return out
}

// The splits of the test above run every component once: what two ran, or none, would prove nothing.
func TestSplitsRunEverythingOnce(t *testing.T) {
	for split, operators := range map[string][]string{"services": perService(), "components": perComponent()} {
		var ran, all []string
		for _, args := range operators {
			s, err := Select(strings.TrimPrefix(args, "--controllers="), registry().Components())
			if err != nil {
				t.Fatal(err)
			}
			for name, components := range s {
				ran = append(ran, parts(name, components)...)
			}
		}
		for name := range registry().Components() {
			all = append(all, parts(name, nil)...)
		}
		slices.Sort(ran)
		slices.Sort(all)
		if diff := cmp.Diff(all, ran); diff != "" {
			t.Errorf("one operator for each of the %s does not run everything once (-everything +run):\n%s", split, diff)
		}
	}
	if want := []string{"keystone/api", "keystone/setup"}; !slices.Equal(parts("keystone", nil), want) {
		t.Errorf("parts of keystone are %v, want %v", parts("keystone", nil), want)
	}
}

// parts are the components of a controller, all when none is named; one that has none is a part itself.
func parts(controller string, components []string) []string {
	if components == nil {
		components = registry().Components()[controller]
	}
	if len(components) == 0 {
		return []string{controller}
	}
	var out []string
	for _, c := range components {
		out = append(out, controller+"/"+c)
	}
	return out
}

// An operator for one component says which one is missing.
func TestAMissingComponentIsNamed(t *testing.T) {
	operators := slices.DeleteFunc(perComponent(), func(s string) bool { return s == "--controllers=keystone/setup" })
	kittest.New(t, scenario(t, operators...)).Run(t, func(p *kittest.Play) {
		c := p.Condition("Keystone/first-keystone", "Ready")
		if c.Status != "False" || !strings.Contains(c.Message, "Waits for the operator of component setup; start it.") {
			t.Errorf("Ready is %s: %q", c.Status, c.Message)
		}
		if p.Object("Deployment/first-keystone-api") != nil {
			t.Error("the API runs although nobody has set it up")
		}
	})
}
