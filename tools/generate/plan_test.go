package main

import (
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"
)

func write(t *testing.T, path string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(path), 0o600); err != nil {
		t.Fatal(err)
	}
}

func TestSnapshotHasGeneratedFilesOnly(t *testing.T) {
	root := t.TempDir()
	for _, path := range []string{"api/infra/v1alpha1/zz_generated.deepcopy.go", "api/infra/v1alpha1/galera.go",
		"charts/stackwright-operator/crds/x.yaml", "charts/stackwright-operator/values.yaml", "charts/charts.go",
		"charts/glance/templates/object.yaml", "charts/glance/values.yaml", "docs/reference/infra.md",
		"docs/reference/config.yaml"} {
		write(t, filepath.Join(root, path))
	}
	files, err := snapshot(root)
	if err != nil {
		t.Fatal(err)
	}
	want := []string{"api/infra/v1alpha1/zz_generated.deepcopy.go", "charts/glance/templates/object.yaml",
		"charts/glance/values.yaml", "charts/stackwright-operator/crds/x.yaml", "docs/reference/infra.md"}
	if got := difference(nil, files); !slices.Equal(got, want) {
		t.Errorf("snapshot has %v, want %v", got, want)
	}
}

func TestDifference(t *testing.T) {
	before := map[string]string{"same": "1", "changed": "1", "removed": "1"}
	after := map[string]string{"same": "1", "changed": "2", "added": "1"}
	if got, want := difference(before, after), []string{"added", "changed", "removed"}; !slices.Equal(got, want) {
		t.Errorf("difference is %v, want %v", got, want)
	}
}

// What is written anew with the same content is no news to make, nor to the cache of tests.
func TestTimesOfWhatIsTheSameAreRestored(t *testing.T) {
	root := t.TempDir()
	old := time.Now().Add(-time.Hour).Truncate(time.Second)
	same, changed := "charts/glance/values.yaml", "charts/nova/values.yaml"
	for _, path := range []string{same, changed} {
		write(t, filepath.Join(root, path))
		for _, p := range []string{path, filepath.Dir(path)} {
			if err := os.Chtimes(filepath.Join(root, p), old, old); err != nil {
				t.Fatal(err)
			}
		}
	}
	before, err := times(root)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.RemoveAll(filepath.Join(root, "charts")); err != nil {
		t.Fatal(err)
	}
	write(t, filepath.Join(root, same))
	write(t, filepath.Join(root, changed))
	if err := restore(root, before, []string{changed, "charts/nova/added.yaml"}); err != nil {
		t.Fatal(err)
	}
	for path, want := range map[string]bool{same: true, "charts/glance": true, changed: false, "charts/nova": false,
		"charts": false} {
		info, err := os.Stat(filepath.Join(root, path))
		if err != nil {
			t.Fatal(err)
		}
		if got := info.ModTime().Equal(old); got != want {
			t.Errorf("%s is as old as before: %t, want %t", path, got, want)
		}
	}
}

func TestEveryAPIGroupGetsAPage(t *testing.T) {
	root := t.TempDir()
	write(t, filepath.Join(root, "api/infra/v1alpha1/register.go"))
	write(t, filepath.Join(root, "api/service/v1alpha1/register.go"))
	pages := 0
	for _, c := range commands(root) {
		if c.args[0] == "crd-ref-docs" {
			pages++
		}
	}
	if pages != 2 {
		t.Errorf("%d pages are rendered, want 2", pages)
	}
}
