package charts_test

import (
	"fmt"
	"io"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"stackwright.dev/stackwright/internal/standalone"
)

// secrets compares what the Job of a chart writes with what the operator makes of the same values where the same
// passwords, keys and certificates are: those that the Job has made, which an operator keeps, too.
func (c trial) secrets(t *testing.T, values map[string]any, docs []map[string]any) string {
	t.Helper()
	object, revision := task(t, docs)
	cluster := world(t)
	must(t, standalone.Keep(t.Context(), cluster, object, standalone.Options{Revision: revision, Out: io.Discard}))
	want, got := map[string]map[string]string{}, map[string]map[string]string{}
	for _, m := range played(t, c.stored(t, c.spec(t, values)), cluster) {
		made, ok := m.Object.(*corev1.Secret)
		if !ok {
			continue
		}
		name := made.Name
		if hash := string(made.Data["hash"]); hash != "" {
			name = strings.ReplaceAll(name, hash, revision)
		}
		kept := &corev1.Secret{}
		must(t, cluster.Get(t.Context(), client.ObjectKey{Namespace: made.Namespace, Name: name}, kept))
		want[name], got[name] = text(made), text(kept)
	}
	if _, ok := want["identity-config-"+revision]; !ok {
		t.Fatalf("there is no configuration among %d Secrets", len(want))
	}
	return cmp.Diff(want, got)
}

// task is what the Job of a chart is given: the object, and what the name of the configuration ends in.
func task(t *testing.T, docs []map[string]any) (object []byte, revision string) {
	t.Helper()
	for _, o := range docs {
		switch name := at(o, "metadata", "name"); {
		case o["kind"] == "ConfigMap" && name == "identity-secrets":
			object = []byte(fmt.Sprint(at(o, "data", "object.json")))
		case o["kind"] == "Deployment" && revision == "":
			revision = fmt.Sprint(at(o, "metadata", "annotations", "service.stackwright.dev/config"))
		}
	}
	if len(object) == 0 || len(revision) != 16 {
		t.Fatalf("the object is %q, the revision %q", object, revision)
	}
	return object, revision
}

// text is the content of a Secret.
func text(s *corev1.Secret) map[string]string {
	out := map[string]string{}
	for key, value := range s.Data {
		out[key] = string(value)
	}
	return out
}
