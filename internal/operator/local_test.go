package operator

import (
	"encoding/base64"
	"flag"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"stackwright.dev/kit"
	"stackwright.dev/kit/kittest"
)

// In a cluster clouds may not be at addresses of the operator's own machine unless somebody says so.
func TestLocalClouds(t *testing.T) {
	for name, c := range map[string]struct {
		host, args string
		want       bool
	}{
		"in a cluster": {"10.96.0.1", "", false}, "outside": {"", "", true},
		"allowed": {"10.96.0.1", "--local-clouds", true}, "refused": {"", "--local-clouds=false", false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Setenv("KUBERNETES_SERVICE_HOST", c.host)
			var o Options
			flags := flag.NewFlagSet("stackwright-operator", flag.ContinueOnError)
			o.Flags(flags)
			if err := flags.Parse(strings.Fields(c.args)); err != nil {
				t.Fatal(err)
			}
			if o.LocalClouds != c.want {
				t.Errorf("local clouds are allowed: %t, want %t", o.LocalClouds, c.want)
			}
		})
	}
}

// The controllers of an operator refuse a Cloud whose auth_url is an address of the operator's own machine, and its
// condition says what to change.
func TestCloudOfTheOperatorItself(t *testing.T) {
	content := base64.StdEncoding.EncodeToString([]byte("clouds: {c: {auth: {auth_url: 'http://169.254.169.254:80', " +
		"username: u, password: p, project_name: p, user_domain_name: Default, project_domain_name: Default}}}"))
	file := filepath.Join(t.TempDir(), "objects.yaml")
	objects := `{apiVersion: v1, kind: Namespace, metadata: {name: default}}
---
{apiVersion: v1, kind: Secret, metadata: {name: cloud, namespace: default}, data: {clouds.yaml: ` + content + `}}
---
{apiVersion: openstack.stackwright.dev/v1alpha1, kind: Cloud, metadata: {name: default, namespace: default},
  spec: {secretRef: {name: cloud}}}
`
	if err := os.WriteFile(file, []byte(objects), 0o600); err != nil {
		t.Fatal(err)
	}
	const crds = "../../charts/stackwright-operator/crds/openstack.stackwright.dev_"
	s := kittest.Scenario{Scheme: Scheme(), Files: []string{file},
		CRDs: []string{crds + "clouds.yaml", crds + "clusterclouds.yaml", crds + "referencegrants.yaml"},
		Controllers: func(http.RoundTripper) ([]kit.Controller, error) {
			return Registry(Environment{Served: func(kind string) bool { return strings.HasSuffix(kind, "Cloud") }}).
				Build(Selection{"resources": nil})
		},
	}
	kittest.New(t, s).Run(t, func(p *kittest.Play) {
		p.Settle()
		c := p.Condition("Cloud/default", "Ready")
		if c.Status != "False" || c.Reason != "InvalidSpec" || !strings.Contains(c.Message, "the link-local address "+
			"169.254.169.254 of http://169.254.169.254:80 is the operator's own; give one that is reachable from the cluster") {
			t.Errorf("the Cloud says %v", c)
		}
	})
}
