//go:build apiserver

package keystone_test

import (
	"os"
	"strings"
	"testing"

	autoscalingv1 "k8s.io/api/autoscaling/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/client-go/rest"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/yaml"

	"stackwright.dev/kit/kittest"
)

var live *rest.Config

func TestMain(m *testing.M) { kittest.Main(m, &live) }

func onServer(t *testing.T) *kittest.World {
	t.Helper()
	s := scenario(t, "")
	s.Config = live
	return kittest.New(t, s)
}

func TestServerReady(t *testing.T)  { onServer(t).Ready(t) }
func TestServerBudget(t *testing.T) { onServer(t).Budget(t, 0, 0) }

// Killed at any request, the operator comes to the same end. It is here and not among the unit tests because it takes
// long.
func TestServerCrash(t *testing.T) { kittest.New(t, scenario(t, "")).Crash(t, nil) }

// What is wrong in itself is refused when it is written, with what would be right.
func TestServerRefuses(t *testing.T) {
	onServer(t).Run(t, func(p *kittest.Play) {
		for name, c := range map[string]struct{ patch, want string }{
			"replicas": {"spec: {replicas: -1}", "spec.replicas"},
			"image":    {"spec: {image: ''}", "spec.image"},
			"database": {"spec: {database: null}", "spec.database: Required value"},
			"region":   {"spec: {region: ''}", "spec.region"},
			"interval": {"spec: {fernet: {rotationInterval: 30s}}",
				"rotationInterval must be at least 10m: a new key needs some minutes"},
			"no interval": {"spec: {fernet: {rotationInterval: soon}}", "spec.fernet.rotationInterval"},
			"credential":  {"spec: {credential: {rotationInterval: 1m}}", "rotationInterval must be at least 1h"},
			"few keys":    {"spec: {fernet: {maxActiveKeys: 2}}", "spec.fernet.maxActiveKeys"},
			"schedule":    {"spec: {trustFlush: {schedule: often}}", "use the five fields of cron, such as '1 * * * *'"},
			"expose":      {"spec: {expose: {type: Ingress}}", `supported values: "LoadBalancer", "ClusterIP", "HTTPRoute"`},
			"route":       {"spec: {expose: {type: HTTPRoute}}", "type HTTPRoute needs gateway and hostname"},
			"hostname":    {"spec: {expose: {hostname: 'https://a/'}}", "use a DNS name without scheme, port or path"},
			"two sources": {"spec: {configFrom: [{configMap: a, secret: b}]}", "set exactly one of configMap and secret"},
			"no source":   {"spec: {configFrom: [{}]}", "set exactly one of configMap and secret"},
			"volume": {"spec: {extraVolumes: [{name: a, mountPath: /a}]}",
				"set exactly one of configMap, secret and persistentVolumeClaim"},
			"mount": {"spec: {extraVolumes: [{name: a, mountPath: /etc/stackwright/a, secret: b}]}",
				"use an absolute path outside of /etc/stackwright"},
			"section":      {"spec: {config: {token: 5}}", "spec.config.token"},
			"policy":       {"spec: {database: {deletionPolicy: Drop}}", "spec.database.deletionPolicy"},
			"long name":    {"metadata: {name: " + strings.Repeat("a", 41) + "}", "at most 40 lower-case letters"},
			"name":         {"metadata: {name: 1st}", "beginning with a letter"},
			"many workers": {"spec: {workers: 65}", "spec.workers"},
		} {
			u := &unstructured.Unstructured{}
			text, err := os.ReadFile(patched(t, c.patch))
			must(t, err)
			must(t, yaml.Unmarshal(text, &u.Object))
			if c.patch[:4] == "spec" {
				u.SetName("other")
			}
			err = p.Client.Create(t.Context(), u)
			if err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("%s: the answer is %v\nwant %s", name, err, c.want)
			}
		}
		region := p.Object(identity)
		patch := client.MergeFrom(region.DeepCopy())
		must(t, unstructured.SetNestedField(region.Object, "RegionTwo", "spec", "region"))
		if err := p.Client.Patch(t.Context(), region, patch); err == nil ||
			!strings.Contains(err.Error(), "region cannot be changed") {
			t.Errorf("a new region: the answer is %v", err)
		}
	})
}

// Every kind of value is kept as it was written.
func TestServerKeepsValues(t *testing.T) {
	s := scenario(t, "spec: {config: {token: {expiration: 600, provider: fernet}, cache: {enabled: true, "+
		"backend_argument: ['a:1', 'b:2']}}}")
	s.Config = live
	kittest.New(t, s).Run(t, func(p *kittest.Play) {
		p.Ready()
		conf := secret(p, "identity-config")["keystone.conf"]
		for _, line := range []string{"expiration = 600\n", "provider = fernet\n", "enabled = true\n",
			"backend_argument = a:1\nbackend_argument = b:2\n"} {
			if !strings.Contains(conf, line) {
				t.Errorf("the configuration lacks %q:\n%s", line, conf)
			}
		}
	})
}

// The autoscaler of a cluster scales by the subresource.
func TestServerAutoscalerTakesOver(t *testing.T) {
	s := scenario(t, "spec: {replicas: 3}")
	s.Config = live
	kittest.New(t, s).Run(t, func(p *kittest.Play) {
		scaler := client.WithFieldOwner(p.Client, "kube-controller-manager")
		handsOver(p, func(to int64) {
			scale := &autoscalingv1.Scale{Spec: autoscalingv1.ScaleSpec{Replicas: int32(to)}}
			must(t, scaler.SubResource("scale").Update(t.Context(), p.Object(api), client.WithSubResourceBody(scale)))
		})
	})
}
