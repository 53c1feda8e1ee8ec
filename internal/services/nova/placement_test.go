package nova_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/yaml"

	"stackwright.dev/kit/kittest"

	"stackwright.dev/stackwright/internal/service/servicetest"
)

// besidePlacement is a scenario with a Placement that asks a Keystone.
func besidePlacement(t *testing.T, keystone string) kittest.Scenario {
	t.Helper()
	file := filepath.Join(t.TempDir(), "placement.yaml")
	servicetest.Must(t, os.WriteFile(file, []byte(`{apiVersion: service.stackwright.dev/v1alpha1, kind: Placement,
		metadata: {name: where, namespace: cloud},
		spec: {image: "images.example.org/placement:epoxy", database: {galera: db}, identity: {keystone: `+keystone+`}}}`),
		0o600))
	s := scenario(t, "")
	s.Files = append([]string{file}, s.Files...)
	return s
}

// endpoint is one of it, with the id that it has in the catalog.
func endpoint(t *testing.T, id string) *unstructured.Unstructured {
	t.Helper()
	u := &unstructured.Unstructured{}
	servicetest.Must(t, yaml.Unmarshal([]byte(`{apiVersion: openstack.stackwright.dev/v1alpha1, kind: Endpoint,
		metadata: {name: where-internal, namespace: cloud},
		spec: {resource: {serviceRef: {name: where}, interface: internal, url: "https://where.cloud.svc:8778"}},
		status: {id: "`+id+`"}}`), u))
	return u
}

const schedulerSet = "Deployment/cloud/nova-scheduler"

// The scheduler ends when it does not find Placement, so that it waits until the catalog has the one of its cloud.
func TestTheSchedulerWaitsForPlacement(t *testing.T) {
	play(t, besidePlacement(t, "identity"), func(p *kittest.Play) {
		p.Pass(time.Minute)
		want := "Waits until Placement where is in the catalog; its conditions say why it is not."
		if c := p.Condition(novaObject, "PlacementReady"); c.Status != "False" || c.Message != want {
			t.Errorf("PlacementReady is %s: %s", c.Status, c.Message)
		}
		if c := p.Condition(novaObject, "Ready"); !strings.Contains(c.Message, want) {
			t.Errorf("Ready is %s: %s", c.Status, c.Message)
		}
		if p.Object(schedulerSet) != nil {
			t.Error("the scheduler runs")
		}
		if p.Object("Deployment/cloud/nova-conductor") == nil {
			t.Error("the conductor, which needs no Placement, waits, too")
		}
		p.Create(endpoint(t, "made"))
		p.Settle()
		p.Ready()
		if p.Object(schedulerSet) == nil {
			t.Error("the scheduler does not run")
		}
	})
}

// A Placement of another cloud, and one that is elsewhere, are not waited for.
func TestTheSchedulerKnowsItsPlacement(t *testing.T) {
	play(t, besidePlacement(t, "other"), func(p *kittest.Play) {
		p.Ready()
	})
}
