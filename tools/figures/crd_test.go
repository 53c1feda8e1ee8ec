package main

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// The CRDs of all charts are counted, by the JSON that a client keeps of them and not by the YAML that we keep.
func TestCRDSizes(t *testing.T) {
	charts := tree(t, map[string]string{
		"nova/crds/nova.yaml":   "# a comment\nmetadata: {name: novas.x}\n", // {"metadata":{"name":"novas.x"}}
		"nova/crds/cell.yaml":   "kind: C\nmetadata:\n  name: cells.x\n",    // {"kind":"C","metadata":{"name":"cells.x"}}
		"heat/crds/heat.yaml":   "metadata: {name: heats.x}\n",
		"heat/Chart.yaml":       "name: heat\n",
		"heat/crds/README.md":   "none",
		"heat/templates/a.yaml": "{{ none }}",
	})
	got, err := crdSizes(charts)
	if err != nil {
		t.Fatal(err)
	}
	want := []figure{{"kinds", 3, "kinds"}, {"crd:heats.x", 31, "bytes"}, {"crd:cells.x", 42, "bytes"},
		{"crd:novas.x", 31, "bytes"}, {"crds", 104, "bytes"}, {"crd-largest:cells.x", 42, "bytes"}}
	if !slices.Equal(got, want) {
		t.Errorf("figures are %v, want %v", got, want)
	}
}

func TestCRDThatCannotBeRead(t *testing.T) {
	for name, text := range map[string]string{"no YAML": "a: [", "no object": "- a"} {
		charts := tree(t, map[string]string{"nova/crds/nova.yaml": text})
		if _, err := crdSizes(charts); err == nil || !strings.Contains(err.Error(), "nova/crds/nova.yaml") {
			t.Errorf("%s: %v does not name the file", name, err)
		}
	}
}

// tree makes files below a folder.
func tree(t *testing.T, files map[string]string) string {
	t.Helper()
	dir := t.TempDir()
	for name, text := range files {
		file := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(file), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}
