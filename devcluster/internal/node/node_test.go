package node

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"stackwright.dev/devcluster/internal/cluster"
)

// What the programs of a node, and the shims that they start, write for a moment goes with the node, and is not looked
// for where only the machine has a folder.
func TestUnitsLeaveNoTemporaryFiles(t *testing.T) {
	t.Setenv("XDG_RUNTIME_DIR", "/run/user/0")
	c := &cluster.Cluster{Name: "clean"}
	n := Node{Node: cluster.Node{Name: "node-1"}, Cluster: c, Binary: "/bin/devcluster"}
	for _, u := range n.Units() {
		env := map[string]string{}
		for _, v := range slices.Concat(os.Environ(), u.Spec.Env) {
			name, value, _ := strings.Cut(v, "=")
			env[name] = value
		}
		if want := filepath.Join(c.NodeState("node-1"), "tmp"); env["TMPDIR"] != want || env["XDG_RUNTIME_DIR"] != "" {
			t.Errorf("%s has TMPDIR=%q and XDG_RUNTIME_DIR=%q, want %q and none", u.Spec.Name, env["TMPDIR"],
				env["XDG_RUNTIME_DIR"], want)
		}
	}
}

// kube-proxy works in the mode nftables, whatever its default is.
func TestProxyMode(t *testing.T) {
	n := Node{Node: cluster.Node{Name: "node-1"}, Cluster: &cluster.Cluster{Name: "rules"}, Binary: "/bin/devcluster"}
	for _, u := range n.Units() {
		if !slices.Contains(u.Spec.Command, "kube-proxy") {
			continue
		}
		if !slices.Contains(u.Spec.Command, "--proxy-mode=nftables") {
			t.Errorf("kube-proxy is started as %q", u.Spec.Command)
		}
		return
	}
	t.Error("no unit of the node is kube-proxy")
}
