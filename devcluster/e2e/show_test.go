//go:build e2e

package e2e

import (
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"stackwright.dev/devcluster/internal/supervisor"
)

func TestStatusShowsTheCluster(t *testing.T) {
	s := status(t, shared)
	c := s.Cluster
	clusters := table(devcluster(t, "status"))
	want := []string{shared, "true", "2", c.Range().String(), c.Kubeconfig()}
	if found := row(clusters, shared); !slices.Equal(found, want) {
		t.Errorf("of all clusters this one is shown as %q, want %q", found, want)
	}
	shown := table(devcluster(t, "status", "--name", shared))
	for _, node := range c.Nodes {
		want := []string{node.Name, "Ready", c.NodeAddress(node).String(), c.NodePods(node).String()}
		if found := row(shown, node.Name); !slices.Equal(found, want) {
			t.Errorf("%s is shown as %q, want %q", node.Name, found, want)
		}
	}
	for _, component := range s.Components {
		found := row(shown, component.Name)
		pid, restarts := strconv.Itoa(component.PID), strconv.Itoa(component.Restarts)
		if len(found) != 6 || found[1] != pid || found[3] != restarts {
			t.Errorf("%s is shown as %q, want process %s with %s restarts", component.Name, found, pid, restarts)
		}
	}
	sumsUp(t, shown, s.Components)
	runsPinned(t)
}

// runsPinned expects the API server and every kubelet to be of the version of Kubernetes in go.mod.
func runsPinned(t *testing.T) {
	t.Helper()
	module, err := os.ReadFile("../go.mod")
	if err != nil {
		t.Fatal(err)
	}
	want := row(table(string(module)), "k8s.io/kubernetes")[1]
	server := struct{ GitVersion string }{}
	if err := json.Unmarshal([]byte(kubectl(t, shared, "get", "--raw", "/version")), &server); err != nil {
		t.Fatal(err)
	}
	kubelets := kubectl(t, shared, "get", "nodes", "-o", "jsonpath={.items[*].status.nodeInfo.kubeletVersion}")
	if server.GitVersion != want || kubelets != want+" "+want {
		t.Errorf("the API server is %s, the kubelets are %s, want Kubernetes %s", server.GitVersion, kubelets, want)
	}
}

// sumsUp expects the memory of each component, resident and proportional, and the sums in the last row.
func sumsUp(t *testing.T, shown [][]string, components []supervisor.Component) {
	t.Helper()
	total := row(shown, "total")
	for i := 1; i <= 2; i++ {
		sum := 0
		for _, component := range components {
			found := row(shown, component.Name)
			megabytes, err := strconv.Atoi(found[len(found)-3+i])
			if err != nil || megabytes < 1 {
				t.Errorf("the memory of %s is shown as %q", component.Name, found)
			}
			sum += megabytes
		}
		// Bytes are summed up before they are rounded down.
		all, err := strconv.Atoi(total[i])
		if err != nil || all < sum || all > sum+len(components) {
			t.Errorf("the total is shown as %q, that of the components is %d", total, sum)
		}
	}
}

func TestKubeconfigIsPrinted(t *testing.T) {
	path := filepath.Join(t.TempDir(), "kubeconfig")
	if err := os.WriteFile(path, []byte(devcluster(t, "kubeconfig", "--name", shared)), 0o600); err != nil {
		t.Fatal(err)
	}
	nodes := devcluster(t, "kubectl", "--kubeconfig", path, "get", "nodes", "-o", "name")
	if nodes != "node/node-1\nnode/node-2" {
		t.Errorf("by the kubeconfig that is printed there are the nodes %q", nodes)
	}
}

func TestLogsAreShown(t *testing.T) {
	s := status(t, shared)
	list := table(devcluster(t, "logs", "--name", shared))
	for _, component := range s.Components {
		path := s.Cluster.Log(component.Name)
		if found := row(list, component.Name); !slices.Equal(found, []string{component.Name, path}) {
			t.Errorf("the log of %s is listed as %q, want %s", component.Name, found, path)
			continue
		}
		content, err := os.ReadFile(path)
		if err != nil {
			t.Error(err)
		}
		// More may be written meanwhile.
		if found := devcluster(t, "logs", component.Name, "--name", shared); !strings.HasPrefix(found, trimmed(content)) {
			t.Errorf("the log of %s is shown in %d bytes and has %d", component.Name, len(found), len(content))
		}
	}
	err := quiet(command("logs", "nobody", "--name", shared))
	if err == nil || !strings.Contains(err.Error(), `no component "nobody", only etcd, kube-apiserver`) {
		t.Errorf("the log of a component that is not there: %v", err)
	}
}

func trimmed(content []byte) string { return strings.TrimSpace(string(content)) }

// table is what is printed, in rows of fields.
func table(printed string) [][]string {
	var rows [][]string
	for line := range strings.Lines(printed) {
		rows = append(rows, strings.Fields(line))
	}
	return rows
}

// row is the one that begins with name.
func row(rows [][]string, name string) []string {
	i := slices.IndexFunc(rows, func(r []string) bool { return len(r) > 0 && r[0] == name })
	if i < 0 {
		return []string{"no row of " + name, "", "", ""}
	}
	return rows[i]
}
