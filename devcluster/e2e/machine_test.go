//go:build e2e

package e2e

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/sys/unix"

	"stackwright.dev/devcluster/internal/cgroup"
	"stackwright.dev/devcluster/internal/cluster"
)

func TestDownLeavesNothing(t *testing.T) {
	const name = "e2e-clean"
	m := newMachine(t)
	before := m.look(t, name)
	takeDown(t, name, m.command)
	for _, arguments := range [][]string{
		{"up", "--name", name},
		{"load", "--name", name, os.Getenv("PROBE_LAYOUT")},
		{"kubectl", "--name", name, "apply", "-f", workloadFile(t)},
		{"kubectl", "--name", name, "rollout", "status", "deployment/probe", "--timeout=60s"},
	} {
		m.run(t, program(), arguments...)
	}
	for kind, entries := range m.look(t, name) {
		if !slices.Contains([]string{"packet rules", "controllers"}, kind) && cmp.Equal(before[kind], entries) {
			t.Errorf("a running cluster shows no difference in %s, so this test would not see what it leaves", kind)
		}
	}
	// Somebody else's first namespace makes the folder of all of them a mount, unless it is one.
	m.run(t, "ip", "netns", "add", "somebody")
	m.run(t, "ip", "netns", "delete", "somebody")
	for _, pid := range supervisors(t, name) { // the next one is about to come while all is taken down
		if err := unix.Kill(pid, unix.SIGKILL); err != nil {
			t.Error(err)
		}
	}
	m.run(t, program(), "down", "--name", name)
	eventually(t, 20*time.Second, func() error {
		if diff := cmp.Diff(before, m.look(t, name)); diff != "" {
			return errors.New(diff)
		}
		return nil
	})
	m.run(t, program(), "down", "--name", name)
}

// Root of a container may lack what root of a machine has.
func TestUpNamesAMissingCapability(t *testing.T) {
	const name = "e2e-bounded"
	for _, capability := range []string{"sys_admin", "net_admin"} {
		err := quiet(exec.Command("setpriv", "--bounding-set", "-"+capability, program(), "up", "--name", name))
		want := "root has no CAP_" + strings.ToUpper(capability) + " here"
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("up says %v, want %s", err, want)
		}
	}
	if left := globs(t, (&cluster.Cluster{Name: name}).State()); len(left) > 0 {
		t.Errorf("left behind: %v", left)
	}
}

func TestClustersSideBySide(t *testing.T) {
	const name = "e2e-other"
	takeDown(t, name, exec.Command)
	devcluster(t, "up", "--name", name)
	if other := status(t, name).Cluster.Range(); other == status(t, shared).Cluster.Range() {
		t.Errorf("both clusters have the addresses %s", other)
	}
	halfDown(t, name)
	devcluster(t, "down", "--name", name)
	if left := globs(t, (&cluster.Cluster{Name: name}).State()); len(left) > 0 {
		t.Errorf("left behind: %v", left)
	}
	answers(t, balancer(t, shared), "/")
}

// halfDown takes down a cluster of which a file cannot be removed, as when it is interrupted on the way.
func halfDown(t *testing.T, name string) {
	t.Helper()
	file := filepath.Join((&cluster.Cluster{Name: name}).State(), "pki", "ca.key")
	if err := quiet(exec.Command("chattr", "+i", file)); err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := quiet(exec.Command("chattr", "-i", file)); err != nil {
			t.Error(err)
		}
	}()
	if err := quiet(command("down", "--name", name)); err == nil || !strings.Contains(err.Error(), file) {
		t.Errorf("the error is %v, want one that names %s", err, file)
	}
}

func TestRebootKeepsDataAndPods(t *testing.T) {
	address := balancer(t, shared)
	answers(t, address, "/write")
	lines, pod := answers(t, address, "/write"), answers(t, address, "/")
	if err := apply(shared, sizedWorkload); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { kubectl(t, shared, "delete", "pod/sized", "pvc/sized", "--wait=true") })
	kubectl(t, shared, "wait", "--for=condition=Ready", "pod/sized", "--timeout=60s")
	sized := kubectl(t, shared, "get", "pod", "sized", "-o", "jsonpath={.status.podIP}") + ":8080"
	written := answers(t, sized, "/write")
	crash(t, shared)
	if _, err := ask(address, "/"); err == nil {
		t.Fatal("the workload answers after all processes were killed")
	}
	devcluster(t, "up", "--name", shared)
	kubectl(t, shared, "rollout", "status", "deployment/probe", "--timeout=90s")
	if now := answers(t, address, "/"); now != pod {
		t.Errorf("pod %s became %s", pod, now)
	}
	kubectl(t, shared, "wait", "--for=condition=Ready", "pod/sized", "--timeout=60s")
	sized = kubectl(t, shared, "get", "pod", "sized", "-o", "jsonpath={.status.podIP}") + ":8080"
	if now := answers(t, sized, "/write"); now <= written {
		t.Errorf("the volume of a size had %s lines and has %s", written, now)
	}
	if now := answers(t, address, "/write"); len(now) < len(lines) || now <= lines {
		t.Errorf("the volume had %s lines and has %s", lines, now)
	}
}

// crash does to a cluster what losing power does: its processes, namespaces, mounts and control groups are gone, and
// so is the run folder, which is in memory.
func crash(t *testing.T, name string) {
	t.Helper()
	c := status(t, name).Cluster
	if err := cgroup.Remove(c.Cgroup()); err != nil {
		t.Fatal(err)
	}
	networks := []string{c.ControlNetwork()}
	for _, node := range c.Nodes {
		networks = append(networks, c.NodeNetwork(node.Name))
		if err := quiet(exec.Command("umount", c.NodeMounts(node.Name))); err != nil {
			t.Fatal(err)
		}
	}
	// The machine's end of the link outside is left, as it is for a while when only the namespaces are gone.
	if err := quiet(exec.Command("ip", "link", "delete", c.HostLink())); err != nil {
		t.Fatal(err)
	}
	for _, network := range networks {
		if err := quiet(exec.Command("ip", "netns", "delete", network)); err != nil {
			t.Fatal(err)
		}
	}
	if err := quiet(exec.Command("umount", filepath.Dir(c.NodeMounts("any")))); err != nil {
		t.Fatal(err)
	}
	if err := os.RemoveAll(c.Run()); err != nil {
		t.Fatal(err)
	}
}

// sandbox is a machine within the machine: network, mounts and folders that nobody else changes meanwhile, and in which
// no cluster has left anything before.
type sandbox struct{ pid int }

func newMachine(t *testing.T) sandbox {
	t.Helper()
	holder := exec.Command("unshare", "--net", "--mount", "--propagation", "private", "sh", "-c",
		"for folder in /run /var/lib /var/log /var/cache /opt /srv /usr/libexec; do "+
			"case $PWD in $folder/*) ;; *) mount -t tmpfs tmpfs $folder;; esac; done; "+
			"ip link set lo up; echo; exec sleep 1000")
	output, err := holder.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := holder.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = holder.Process.Kill()
		_ = holder.Wait()
	})
	if _, err := output.Read(make([]byte, 1)); err != nil {
		t.Fatalf("making a machine within the machine: %v", err)
	}
	return sandbox{pid: holder.Process.Pid}
}

func (m sandbox) command(program string, arguments ...string) *exec.Cmd {
	enter := []string{"--net", "--mount", "--wdns=" + workingFolder(), "--target", strconv.Itoa(m.pid), "--", program}
	return exec.Command("nsenter", append(enter, arguments...)...)
}

func (m sandbox) run(t *testing.T, program string, arguments ...string) []string {
	t.Helper()
	output, err := m.command(program, arguments...).CombinedOutput()
	if err != nil {
		t.Fatalf("%s %s: %v\n%s", program, strings.Join(arguments, " "), err, output)
	}
	found := strings.Split(strings.TrimSpace(string(output)), "\n")
	slices.Sort(found)
	return found
}

// look lists everything that a cluster could leave.
func (m sandbox) look(t *testing.T, name string) map[string][]string {
	t.Helper()
	return map[string][]string{
		"processes":  processes(t, name),
		"groups":     groups(t, name),
		"mounts":     m.run(t, "findmnt", "--list", "--noheadings", "--output", "TARGET,FSTYPE"),
		"interfaces": m.run(t, "ip", "-brief", "link"),
		"addresses":  m.run(t, "ip", "-brief", "address"),
		"routes":     m.run(t, "ip", "route", "show", "table", "all"),
		"packet rules": slices.Concat(m.run(t, "nft", "list", "ruleset"), m.legacy(t, "iptables-legacy-save"),
			m.legacy(t, "ip6tables-legacy-save")),
		"controllers": controllers(t),
		"files": m.run(t, "find", "/run", "/var/lib", "/var/log", "/var/cache", "/var/tmp", "/etc", "/opt", "/srv",
			"/usr/libexec", "/usr/local", "-maxdepth", "2"),
	}
}

// legacy lists packet rules of the kernel's older interface, without comments, which have the time.
func (m sandbox) legacy(t *testing.T, save string) []string {
	t.Helper()
	return slices.DeleteFunc(m.run(t, save), func(line string) bool { return strings.HasPrefix(line, "#") })
}

// controllers are those that groups below the root have by version 2. A cluster turns on what it lacks, and a cluster
// that goes leaves them to others.
func controllers(t *testing.T) []string {
	t.Helper()
	hierarchies, err := cgroup.Hierarchies()
	if err != nil {
		t.Fatal(err)
	}
	var found []string
	for _, hierarchy := range hierarchies {
		content, _ := os.ReadFile(hierarchy.Path + "/cgroup.subtree_control") // version 1 has none
		found = append(found, strings.Fields(string(content))...)
	}
	return found
}

// processes lists those that a cluster's control group or name gives away.
func processes(t *testing.T, name string) []string {
	t.Helper()
	c := cluster.Cluster{Name: name}
	found := []string{}
	for _, folder := range globs(t, "/proc/[0-9]*") {
		command, _ := os.ReadFile(folder + "/cmdline") // those that ended meanwhile have none
		groups, _ := os.ReadFile(folder + "/cgroup")
		if strings.Contains(string(groups), c.Cgroup()+"/") || strings.Contains(string(command), c.State()+"/") {
			found = append(found, folder+" "+strings.ReplaceAll(string(command), "\x00", " "))
		}
	}
	return found
}

// supervisors are the processes that are, or want to be, the supervisor of a cluster.
func supervisors(t *testing.T, name string) []int {
	t.Helper()
	all, err := cgroup.Processes((&cluster.Cluster{Name: name}).SystemCgroup())
	if err != nil {
		t.Fatal(err)
	}
	return slices.DeleteFunc(all, func(pid int) bool {
		command, _ := os.ReadFile(fmt.Sprintf("/proc/%d/cmdline", pid))
		return !strings.Contains(string(command), "\x00supervise\x00")
	})
}

func groups(t *testing.T, name string) []string {
	t.Helper()
	found := []string{}
	hierarchies, err := cgroup.Hierarchies()
	if err != nil {
		t.Fatal(err)
	}
	for _, hierarchy := range hierarchies {
		found = append(found, globs(t, hierarchy.Path+"/devcluster/"+name, hierarchy.Path+"/devcluster/"+name+"/*")...)
	}
	return found
}

func globs(t *testing.T, patterns ...string) []string {
	t.Helper()
	var found []string
	for _, pattern := range patterns {
		matches, err := filepath.Glob(pattern)
		if err != nil {
			t.Fatal(err)
		}
		found = append(found, matches...)
	}
	return found
}

func workloadFile(t *testing.T) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "workload.yaml")
	if err := os.WriteFile(path, []byte(workload), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

func workingFolder() string {
	folder, err := os.Getwd()
	if err != nil {
		return "/"
	}
	return folder
}

func tarOf(folder, archive string) *exec.Cmd {
	return exec.Command("tar", "--create", "--file", archive, "--directory", folder, ".")
}
