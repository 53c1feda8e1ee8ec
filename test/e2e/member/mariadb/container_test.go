//go:build e2e

package mariadb_test

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"stackwright.dev/stackwright/internal/pki"
	"stackwright.dev/stackwright/test/e2e/story"
)

// Names inside of the test's own networks.
const (
	domain = "galera-pods.test.svc"
	fabric = "swg-fab"
)

func podName(i int) string { return fmt.Sprintf("galera-%d", i) }
func podIP(i int) string   { return fmt.Sprintf("10.77.0.%d", i+1) }

// member is a container: a root of its own, with a network and a pid namespace.
type member struct {
	i       int
	dir     string
	command *exec.Cmd
	log     *os.File
}

// lab is three members and a network between them.
type lab struct {
	t       *testing.T
	dir     string
	agentCA map[string][]byte
	members []*member
}

func run(t *testing.T, name string, args ...string) string {
	t.Helper()
	out, err := exec.Command(name, args...).CombinedOutput()
	if err != nil {
		t.Fatalf("%s %s: %v: %s", name, strings.Join(args, " "), err, out)
	}
	return string(out)
}

func newLab(t *testing.T, n int, config string) *lab {
	t.Helper()
	layers := story.Layers(t, "mariadb")
	l := &lab{t: t, dir: t.TempDir()}
	t.Cleanup(l.close)
	now := time.Now()
	l.agentCA = agentSecret(t, now)
	for i := range n {
		l.members = append(l.members, l.newMember(i, layers, config))
	}
	l.certificates(now)
	return l
}

func (l *lab) newMember(i int, layers, config string) *member {
	t := l.t
	m := &member{i: i, dir: filepath.Join(l.dir, podName(i))}
	for _, d := range []string{"upper", "work", "root"} {
		if err := os.MkdirAll(filepath.Join(m.dir, d), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	root := m.root()
	run(t, "mount", "-t", "overlay", "overlay", "-o", fmt.Sprintf("lowerdir=%s,upperdir=%s,workdir=%s",
		layers, filepath.Join(m.dir, "upper"), filepath.Join(m.dir, "work")), root)
	run(t, "install", "-m", "755", story.Agent(), root+"/usr/bin/stackwright-agent")
	run(t, "install", "-d", "-o", "42434", "-g", "42434", root+"/var/lib/mysql", root+"/run/mysqld",
		root+"/etc/stackwright", root+"/etc/stackwright/mariadb", root+"/etc/stackwright/agent", root+"/etc/stackwright/tls")
	hosts := "127.0.0.1 localhost\n"
	for k := range 3 {
		hosts += fmt.Sprintf("%s %s.%s\n%s %s\n", podIP(k), podName(k), domain, podIP(k), domain)
	}
	l.write(root+"/etc/hosts", []byte(hosts))
	l.write(root+"/etc/stackwright/mariadb/my.cnf", []byte(config))
	ns := m.ns()
	link := fmt.Sprintf("swg-v%d", i)
	run(t, "ip", "netns", "add", ns)
	run(t, "ip", "link", "add", link, "netns", fabric, "type", "veth", "peer", "name", "eth0", "netns", ns)
	run(t, "ip", "-n", fabric, "link", "set", link, "master", "br0", "up")
	run(t, "ip", "-n", ns, "link", "set", "lo", "up")
	run(t, "ip", "-n", ns, "addr", "add", podIP(i)+"/24", "dev", "eth0")
	run(t, "ip", "-n", ns, "link", "set", "eth0", "up")
	return m
}

func (m *member) root() string { return filepath.Join(m.dir, "root") }
func (m *member) ns() string   { return fmt.Sprintf("swg-%d", m.i) }

func (l *lab) write(path string, b []byte) {
	if err := os.WriteFile(path, b, 0o644); err != nil {
		l.t.Fatal(err)
	}
}

// certificates gives every member its pairs, as the mounted Secrets do.
func (l *lab) certificates(now time.Time) {
	ca, err := pki.NewCA("test", now)
	if err != nil {
		l.t.Fatal(err)
	}
	leaf, err := pki.Issue(ca, pki.Request{CommonName: "galera", Names: []string{"galera", "*." + domain}}, now)
	if err != nil {
		l.t.Fatal(err)
	}
	l.write(filepath.Join(l.dir, "ca.crt"), leaf.CA)
	for _, m := range l.members {
		d := m.root() + "/etc/stackwright/"
		for f, b := range map[string][]byte{"tls/tls.crt": leaf.Cert, "tls/tls.key": leaf.Key, "tls/ca.crt": leaf.CA,
			"agent/ca.crt": l.agentCA["ca.crt"], "agent/server.crt": l.agentCA["server.crt"],
			"agent/server.key": l.agentCA["server.key"]} {
			l.write(d+f, b)
		}
	}
}

// start runs the container, as a kubelet does.
func (l *lab) start(i int) {
	m := l.members[i]
	log, err := os.OpenFile(filepath.Join(l.dir, podName(i)+".log"), os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o644)
	if err != nil {
		l.t.Fatal(err)
	}
	script := `mount -t proc proc "$1/proc"; mount --rbind /dev "$1/dev"; mount -t tmpfs tmpfs "$1/tmp"
mount -t tmpfs -o uid=42434,gid=42434,mode=0770 tmpfs "$1/run/mysqld"
exec chroot "$1" setpriv --reuid 42434 --regid 42434 --clear-groups --no-new-privs \
  env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin \
 POD_NAME="$2" POD_IP="$3" stackwright-agent mariadb --domain="$4" --tls=/etc/stackwright/tls`
	m.command = exec.Command("ip", "netns", "exec", m.ns(), "unshare", "-m", "-p", "-u", "--fork", "--kill-child",
		"bash", "-c", script, "_", m.root(), podName(i), podIP(i), domain)
	m.command.Stdout, m.command.Stderr, m.log = log, log, log
	m.command.SysProcAttr = &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGKILL}
	if err := m.command.Start(); err != nil {
		l.t.Fatal(err)
	}
}

// first returns the container's first process.
func (m *member) first() int {
	out, err := exec.Command("pgrep", "-P", strconv.Itoa(m.command.Process.Pid)).Output()
	if err != nil {
		return 0
	}
	pid, _ := strconv.Atoi(strings.TrimSpace(string(bytes.SplitN(out, []byte("\n"), 2)[0])))
	return pid
}

// signal sends a signal to the first process of each member at once and waits until the containers have ended.
func (l *lab) signal(sig syscall.Signal, members ...int) {
	var pids []int
	for _, i := range members {
		pids = append(pids, l.members[i].first())
	}
	for _, p := range pids {
		if p > 0 {
			_ = syscall.Kill(p, sig)
		}
	}
	for _, i := range members {
		_ = l.members[i].command.Wait()
		_ = l.members[i].log.Close()
	}
}

func (l *lab) close() {
	for _, m := range l.members {
		if m.command != nil && m.command.ProcessState == nil {
			_ = syscall.Kill(m.first(), syscall.SIGKILL)
			_ = m.command.Wait()
		}
		_ = exec.Command("umount", "-l", m.root()).Run()
		_ = exec.Command("ip", "netns", "del", m.ns()).Run()
	}
	if l.t.Failed() || os.Getenv("KEEP") != "" {
		keep := filepath.Join(os.TempDir(), "members-logs")
		_ = os.RemoveAll(keep)
		_ = os.MkdirAll(keep, 0o755)
		_ = exec.Command("bash", "-c", fmt.Sprintf("cp %s/*.log %s", l.dir, keep)).Run()
		l.t.Logf("the members' logs are in %s", keep)
	}
}

// until polls until f is true.
func until(t *testing.T, what string, d time.Duration, f func() bool) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), d)
	defer cancel()
	tick := time.NewTicker(100 * time.Millisecond)
	defer tick.Stop()
	for !f() {
		select {
		case <-ctx.Done():
			t.Fatalf("%s has not happened within %s", what, d)
		case <-tick.C:
		}
	}
}
