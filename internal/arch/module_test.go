package arch

import (
	"encoding/json"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// ofKubernetes are what the Kubernetes that devcluster is made of has versions of its own of.
var ofKubernetes = []string{"k8s.io/", "sigs.k8s.io/", "go.etcd.io/", "github.com/google/cel-go",
	"github.com/antlr4-go/"}

// Modules that need another one need the same version of it. Of two versions everything above is compiled, checked and
// tested twice: when they did not agree, kit alone cost as much as all the rest.
func TestModulesAgreeOnVersions(t *testing.T) {
	type use struct{ module, version string }
	uses := map[string][]use{}
	for _, file := range files(t, "go.mod") {
		cmd := exec.CommandContext(t.Context(), "go", "mod", "edit", "-json", filepath.Base(file))
		cmd.Dir = filepath.Join(root, filepath.Dir(file))
		out, err := cmd.Output()
		if err != nil {
			t.Fatal(err)
		}
		var mod struct {
			Require []struct{ Path, Version string }
		}
		if err := json.Unmarshal(out, &mod); err != nil {
			t.Fatal(err)
		}
		for _, r := range mod.Require {
			own := slices.ContainsFunc(ofKubernetes, func(prefix string) bool { return strings.HasPrefix(r.Path, prefix) })
			if !own || file != "devcluster/go.mod" {
				uses[r.Path] = append(uses[r.Path], use{file, r.Version})
			}
		}
	}
	shared := 0
	for path, all := range uses {
		for _, u := range all[1:] {
			if u.version != all[0].version {
				t.Errorf("%s wants %s %s, %s wants %s; go get the higher one in both", u.module, path, u.version, all[0].module,
					all[0].version)
			}
		}
		shared += len(all) - 1
	}
	if shared < 100 {
		t.Errorf("found %d dependencies that modules share, want 100 at least", shared)
	}
}
