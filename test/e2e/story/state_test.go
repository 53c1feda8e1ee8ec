package story

import (
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/yaml"
)

func fieldsOf(t *testing.T, text string) []string {
	t.Helper()
	o := &unstructured.Unstructured{}
	if err := yaml.Unmarshal([]byte(text), &o.Object); err != nil {
		t.Fatal(err)
	}
	out := Fields(o)
	slices.Sort(out)
	return out
}

func TestFields(t *testing.T) {
	for name, c := range map[string]struct {
		object string
		want   []string
	}{
		"what Kubernetes fills is left out": {`
kind: Service
metadata: {name: api, uid: a, resourceVersion: "7", generation: 2, labels: {app: api}, finalizers: [b, a]}
spec: {clusterIP: 10.0.0.7, ports: [{name: http, port: 80, nodePort: 30123}, {port: 81}]}
status: {loadBalancer: {ingress: [{ip: 10.0.0.8}]}}`, []string{
			"Service/api metadata.finalizers = a, b", "Service/api metadata.labels.app = api",
			"Service/api spec.ports[1].port = 81", "Service/api spec.ports[http].name = http",
			"Service/api spec.ports[http].port = 80"}},
		"a Secret shows no value": {`
kind: Secret
metadata: {name: login}
type: Opaque
data: {password: aHVzaA==, nothing: ""}`, []string{
			"Secret/login data.nothing = empty", "Secret/login data.password = set", "Secret/login type = Opaque"}},
		"conditions of our kinds": {`
apiVersion: service.stackwright.dev/v1alpha1
kind: Nova
metadata: {name: nova}
spec: {replicas: 3, config: {}, cells: [], host: ""}
status: {observedGeneration: 3, conditions: [{type: Ready, status: "True", reason: Ready, message: all is well}]}`,
			[]string{"Nova/nova conditions.Ready = True", "Nova/nova spec.cells = []", "Nova/nova spec.config = {}",
				"Nova/nova spec.host = ", "Nova/nova spec.replicas = 3"}},
		"lines of a text, and what is another each time": {`
kind: ConfigMap
metadata: {name: config-0123456789abcdef, annotations: {due: "2025-01-02T03:04:05Z"}}
data:
  ca.crt: "-----BEGIN CERTIFICATE-----\nMIIB\nMIIC\n-----END CERTIFICATE-----\n"
  nova.conf: "[DEFAULT]\nhost = 10.1.2.3\nworkers = 4\nid = 0e5d3a52-0000-4000-8000-00000000abcd\n"`, []string{
			"ConfigMap/config* data.ca.crt = *", "ConfigMap/config* data.nova.conf = [DEFAULT]",
			"ConfigMap/config* data.nova.conf = host = *", "ConfigMap/config* data.nova.conf = id = *",
			"ConfigMap/config* data.nova.conf = workers = 4", "ConfigMap/config* metadata.annotations.due = *"}},
	} {
		t.Run(name, func(t *testing.T) {
			if diff := cmp.Diff(c.want, fieldsOf(t, c.object)); diff != "" {
				t.Errorf("-want +got:\n%s", diff)
			}
		})
	}
}

// What is declared stays: it is not taken for something that is another each time.
func TestSameKeepsWhatIsDeclared(t *testing.T) {
	for _, text := range []string{"1.36.3", "1073741824", "2026-01-01", "openstack-nova-cell1-conductor-0", "0123abc",
		"feedback-facade", "5m", "cpu=100m", "v2.1.0-rc1", "10.0.0"} {
		if got := Same(text); got != text {
			t.Errorf("%s becomes %s", text, got)
		}
	}
	for text, want := range map[string]string{
		"https://10.0.0.7:5000/v3": "https://*:5000/v3", "job.batch/db-sync-00112233": "job.batch/db-sync*",
		"sha256:00112233445566778899aabbccddeeff":  "sha256:*",
		"pvc-01234567-9a2d-475d-8abe-0123456789ab": "pvc*",
	} {
		if got := Same(text); got != want {
			t.Errorf("%s becomes %s, want %s", text, got, want)
		}
	}
}
