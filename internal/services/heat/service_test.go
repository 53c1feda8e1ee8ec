package heat_test

import (
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"stackwright.dev/kit"
	"stackwright.dev/kit/kittest"

	"stackwright.dev/stackwright/internal/infra/infratest"
	"stackwright.dev/stackwright/internal/operator"
	"stackwright.dev/stackwright/internal/service"
	"stackwright.dev/stackwright/internal/service/servicetest"
	"stackwright.dev/stackwright/internal/services/heat"
)

const (
	object = "Heat/cloud/heat"
	key    = "Secret/cloud/heat-key"
)

func kind() servicetest.Kind {
	return servicetest.Kind{
		Object: object, Service: "heat", Option: "DEFAULT.max_stacks_per_tenant", Value: "50",
		Workers: []string{"cfn", "engine"}, Ordered: []string{"cfn", "engine"},
		Others:      []string{"Service/heat-cfn", "Domain", "Role"},
		Definitions: []string{"openstack.stackwright.dev_domains", "openstack.stackwright.dev_roles"},
		Controllers: func(cluster service.Cluster) (kit.Controller, error) {
			return kit.New(heat.Definition(cluster), operator.Scheme())
		},
	}
}

func TestPromises(t *testing.T) { kind().Promises(t) }
func TestLongName(t *testing.T) { infratest.LongName(t, kind().Scenario(t, ""), kind().Object) }

// random are the values of a configuration that each run makes anew.
var random = regexp.MustCompile(`(?m)^((?:password|stack_domain_admin_password|auth_encryption_key) = ).*$`)

func TestFiles(t *testing.T) {
	kittest.New(t, kind().Scenario(t, "")).Run(t, func(p *kittest.Play) {
		p.Ready()
		config := servicetest.Secret(p, "heat-config")
		kittest.Golden(t, "testdata/heat.conf", random.ReplaceAllString(config["heat.conf"], "${1}HIDDEN"))
		kittest.Golden(t, "testdata/uwsgi-cfn.ini", config["uwsgi-cfn.ini"])
	})
}

// Each variant is a patch of the smallest Heat, and in testdata the lines in which its objects differ.
func TestVariants(t *testing.T) {
	kind().Variants(t, map[string]string{
		"plain": "spec: {tls: {disabled: true}}",
		"workers": "spec: {cfn: {replicas: 2, expose: {hostname: cfn.example.org}}, engine: {replicas: 3}, " +
			"maintenance: {keepDays: 0}, notifications: true}",
		"inside": "spec: {expose: {type: ClusterIP}, cfn: {expose: {type: ClusterIP}}}",
		"all":    "spec: {domain: stacks, database: {deletionPolicy: Delete}}",
	})
}

// Engines that ended without a word are removed also when the records of deleted stacks are kept for ever.
func TestNothingButStacksIsKeptForEver(t *testing.T) {
	kittest.New(t, kind().Scenario(t, "spec: {maintenance: {keepDays: 0}}")).Run(t, func(p *kittest.Play) {
		p.Ready()
		job := p.Object("CronJob/cloud/heat-maintenance")
		if job == nil {
			p.T.Fatal("there is no CronJob")
		}
		containers, _, _ := unstructured.NestedSlice(job.Object, "spec", "jobTemplate", "spec", "template", "spec",
			"containers")
		command, _, _ := unstructured.NestedStringSlice(containers[0].(map[string]any), "command")
		if got := strings.Join(command, " "); got != "heat-manage service clean" {
			t.Errorf("it runs %s", got)
		}
	})
}

// A key that is lost is not replaced: the service goes on with what its pods have, and says what to do.
func TestALostKeyIsNotReplaced(t *testing.T) {
	kittest.New(t, kind().Scenario(t, "")).Run(t, func(p *kittest.Play) {
		p.Ready()
		before := servicetest.Secret(p, "heat-config")["hash"]
		backup := &unstructured.Unstructured{Object: map[string]any{"apiVersion": "v1", "kind": "Secret",
			"metadata": map[string]any{"name": "heat-key", "namespace": "cloud"}, "data": p.Object(key).Object["data"]}}
		p.Change(key, "data", map[string]any{"auth_encryption_key": "c2hvcnQ="})
		p.Settle()
		if c := p.Condition(object, "KeyReady"); !strings.Contains(c.Message, "has 5 characters; Heat takes one of 32") {
			t.Errorf("with a wrong key the condition is %s: %s", c.Reason, c.Message)
		}
		p.Remove(key)
		p.Settle()
		p.Ready()
		if diff := cmp.Diff(backup.Object["data"], p.Object(key).Object["data"]); diff != "" {
			t.Errorf("deleted, the Secret comes back another one (-before +after):\n%s", diff)
		}
		p.Stop()
		p.Remove(key)
		p.Remove(key + "-copy")
		p.Start()
		p.Settle()
		c := p.Condition(object, "KeyReady")
		if c.Reason != "KeyLost" || !strings.Contains(c.Message, "restore it from a backup") || p.Object(key) != nil {
			t.Errorf("without a key the condition is %s: %s", c.Reason, c.Message)
		}
		if got := servicetest.Secret(p, "heat-config")["hash"]; got != before {
			t.Error("the configuration is another one")
		}
		p.Create(backup)
		p.Settle()
		p.Ready()
	})
}

// What stacks cannot do without stays with the database: the key, the password, and in Keystone the domain and roles.
func TestWhatStacksNeedOutlivesTheObject(t *testing.T) {
	kittest.New(t, kind().Scenario(t, "")).Run(t, func(p *kittest.Play) {
		p.Ready()
		policies, _, _ := unstructured.NestedStringSlice(p.Object("Domain/cloud/heat").Object, "spec", "policies")
		if diff := cmp.Diff([]string{"Observe", "Create", "Update"}, policies); diff != "" {
			t.Errorf("the policies of the domain differ (-want +got):\n%s", diff)
		}
		p.Remove(object)
		p.Settle()
		if p.Object(key) == nil || p.Object("Secret/cloud/heat-domain-admin") == nil {
			t.Error("the key or the password is gone")
		}
		if p.Object("Domain/cloud/heat") != nil {
			t.Error("the object of the domain is still there")
		}
	})
}

// The other API is in the catalog when it answers, and not before.
func TestBothAPIsAreInTheCatalog(t *testing.T) {
	s := kind().Scenario(t, "")
	s.Children["Deployment/heat-cfn"] = kittest.Hold
	kittest.New(t, s).Run(t, func(p *kittest.Play) {
		p.Settle()
		for _, name := range []string{"heat-public", "heat-cfn-public"} {
			if p.Object("Endpoint/cloud/"+name) != nil {
				t.Errorf("endpoint %s is there before the API", name)
			}
		}
		p.Behave("Deployment/heat-cfn", kittest.Ready)
		p.Settle()
		p.Ready()
		got, _, _ := unstructured.NestedString(p.Object("Endpoint/cloud/heat-cfn-internal").Object, "spec", "resource", "url")
		if got != "https://heat-cfn-internal.cloud.svc:8000/v1" {
			t.Errorf("the other API is at %s", got)
		}
	})
}

func TestEveryCrashEndsTheSame(t *testing.T) {
	s := kind().Scenario(t, "")
	s.Stride = 9
	kittest.New(t, s).Crash(t, func(p *kittest.Play) {
		p.Change(object, "spec.engine", map[string]any{"replicas": int64(2)})
	})
}
