//go:build apiserver

package cli

import (
	"bytes"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/yaml"

	"stackwright.dev/stackwright/internal/cli/install"
	"stackwright.dev/stackwright/internal/openstack/fake"
	"stackwright.dev/stackwright/internal/resources/kinds"
)

// The real API server checks a thousand objects by the rules of their kinds and keeps them as they are.
func TestServerImport(t *testing.T) {
	w := onServer(t)
	w.kindsOfResources()
	text, err := os.ReadFile(resourcesFile)
	must(t, err)
	// A namespace of its own: other tests of the server have openstack.
	for _, form := range []string{"namespace: openstack", "{name: openstack"} {
		text = bytes.ReplaceAll(text, []byte(form), []byte(strings.Replace(form, "openstack", "imported", 1)))
	}
	file := filepath.Join(t.TempDir(), "resources.yaml")
	must(t, os.WriteFile(file, text, 0o600))
	w.load(file)
	c := fake.New(kinds.Served())
	w.outside = c
	importThousand(t, w, c, "imported")
}

// kindsOfResources installs the definitions of resources and clouds alone, and waits until all are served.
func (w *world) kindsOfResources() {
	w.t.Helper()
	files, err := install.CRDs()
	must(w.t, err)
	var all []*unstructured.Unstructured
	for _, text := range files {
		u := &unstructured.Unstructured{}
		must(w.t, yaml.Unmarshal(text, &u.Object))
		if strings.HasSuffix(u.GetName(), ".openstack.stackwright.dev") {
			all = append(all, u)
		}
	}
	// What another test has removed may not be quite gone.
	w.eventually("all kinds of resources are served", func() bool {
		all = slices.DeleteFunc(all, w.served)
		return len(all) == 0
	})
}

// served applies a definition, and tells whether the API server has it in use.
func (w *world) served(u *unstructured.Unstructured) bool {
	have := u.DeepCopy()
	err := w.client.Apply(w.t.Context(), client.ApplyConfigurationFromUnstructured(have), client.FieldOwner("test"))
	list, _, _ := unstructured.NestedSlice(have.Object, "status", "conditions")
	return err == nil && have.GetDeletionTimestamp() == nil && slices.ContainsFunc(list, func(v any) bool {
		c, _ := v.(map[string]any)
		return c["type"] == "Established" && c["status"] == "True"
	})
}

func (w *world) eventually(what string, is func() bool) {
	w.t.Helper()
	for end := time.After(3 * time.Minute); !is(); {
		select {
		case <-end:
			w.t.Fatalf("three minutes have passed before %s", what)
		case <-time.After(100 * time.Millisecond):
		}
	}
}
