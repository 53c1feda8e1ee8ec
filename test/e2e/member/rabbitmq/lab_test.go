//go:build e2e

package rabbitmq_test

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

	infrav1 "stackwright.dev/stackwright/api/infra/v1alpha1"
	operator "stackwright.dev/stackwright/internal/infra/rabbitmq"
	"stackwright.dev/stackwright/internal/pki"
	"stackwright.dev/stackwright/test/e2e/story"
)

// Names inside of the test's own network.
const (
	broker = "mq"
	domain = "mq-members.test.svc"
	fabric = "swr-fab"
)

func podName(i int) string { return fmt.Sprintf("%s-%d", broker, i) }
func podIP(i int) string   { return fmt.Sprintf("10.78.0.%d", i+1) }

func TestMain(m *testing.M) { os.Exit(story.Inside(m, fabric, "10.78.0.254/24")) }

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
	ca      pki.Pair
	agentCA map[string][]byte
	members []*member
	spec    *infrav1.RabbitMQ
}

func run(t *testing.T, name string, args ...string) string {
	t.Helper()
	out, err := exec.Command(name, args...).CombinedOutput()
	if err != nil {
		t.Fatalf("%s %s: %v: %s", name, strings.Join(args, " "), err, out)
	}
	return string(out)
}

func newLab(t *testing.T) *lab {
	t.Helper()
	layers, now := story.Layers(t, "rabbitmq"), time.Now()
	l := &lab{t: t, dir: t.TempDir(), spec: &infrav1.RabbitMQ{}}
	l.spec.Name, l.spec.Namespace, l.spec.Spec.Replicas = broker, "test", 3
	var err error
	if l.ca, err = pki.NewCA("test", now); err != nil {
		t.Fatal(err)
	}
	l.agentCA = agentSecret(t, now)
	t.Cleanup(l.close)
	for i := range 3 {
		l.members = append(l.members, l.newMember(i, layers))
	}
	l.certify(now)
	return l
}

func agentSecret(t *testing.T, now time.Time) map[string][]byte {
	t.Helper()
	ca, err := pki.NewCA("agent", now)
	if err != nil {
		t.Fatal(err)
	}
	server, err := pki.Issue(ca, pki.Request{CommonName: pki.RoleMember, Names: []string{"*." + domain}}, now)
	if err != nil {
		t.Fatal(err)
	}
	client, err := pki.Issue(ca, pki.Request{CommonName: pki.RoleOperator}, now)
	if err != nil {
		t.Fatal(err)
	}
	return map[string][]byte{"ca.crt": ca.Cert, "server.crt": server.Cert, "server.key": server.Key,
		"client.crt": client.Cert, "client.key": client.Key}
}

func (l *lab) newMember(i int, layers string) *member {
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
	run(t, "rm", "-rf", root+"/var/lib/rabbitmq")
	etc := root + "/etc/stackwright/"
	run(t, "install", "-d", "-o", "42439", "-g", "42439", root+"/var/lib/rabbitmq", root+"/run/rabbitmq",
		etc, etc+"rabbitmq", etc+"agent", etc+"tls", etc+"cookie")
	hosts := "127.0.0.1 localhost\n"
	for k := range 3 {
		hosts += fmt.Sprintf("%s %s.%s\n", podIP(k), podName(k), domain)
	}
	l.write(root+"/etc/hosts", []byte(hosts))
	for name, text := range operator.Config(l.spec) {
		l.write(etc+"rabbitmq/"+name, []byte(text))
	}
	l.write(etc+"cookie/cookie", []byte("a cookie of the test and nothing else"))
	m.disconnect()
	run(t, "ip", "netns", "add", m.ns())
	run(t, "ip", "link", "add", m.link(), "netns", fabric, "type", "veth", "peer", "name", "eth0", "netns", m.ns())
	run(t, "ip", "-n", fabric, "link", "set", m.link(), "master", "br0", "up")
	run(t, "ip", "-n", m.ns(), "link", "set", "lo", "up")
	run(t, "ip", "-n", m.ns(), "addr", "add", podIP(i)+"/24", "dev", "eth0")
	run(t, "ip", "-n", m.ns(), "link", "set", "eth0", "up")
	return m
}

func (m *member) root() string { return filepath.Join(m.dir, "root") }
func (m *member) ns() string   { return fmt.Sprintf("swr-%d", m.i) }
func (m *member) link() string { return fmt.Sprintf("swr-v%d", m.i) }

// disconnect removes the member's network. The link goes first: one that goes with its namespace does so later.
func (m *member) disconnect() {
	_ = exec.Command("ip", "-n", fabric, "link", "del", m.link()).Run()
	_ = exec.Command("ip", "netns", "del", m.ns()).Run()
}

func (l *lab) write(path string, b []byte) {
	l.t.Helper()
	if err := os.WriteFile(path, b, 0o644); err != nil {
		l.t.Fatal(err)
	}
}

// certify gives every member a new pair of the brokers' CA and that of the agents, as the mounted Secrets do.
func (l *lab) certify(now time.Time) {
	leaf, err := pki.Issue(l.ca, pki.Request{CommonName: broker, Names: operator.Hosts(l.spec)}, now)
	if err != nil {
		l.t.Fatal(err)
	}
	for _, m := range l.members {
		d := m.root() + "/etc/stackwright/"
		for f, b := range map[string][]byte{"tls/tls.crt": leaf.Cert, "tls/tls.key": leaf.Key, "tls/ca.crt": leaf.CA,
			"agent/ca.crt": l.agentCA["ca.crt"], "agent/server.crt": l.agentCA["server.crt"],
			"agent/server.key": l.agentCA["server.key"]} {
			l.write(d+f, b)
		}
	}
}

// start runs containers, as a kubelet does.
func (l *lab) start(members ...int) {
	for _, i := range members {
		m := l.members[i]
		log, err := os.OpenFile(filepath.Join(l.dir, podName(i)+".log"), os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o644)
		if err != nil {
			l.t.Fatal(err)
		}
		script := `mount -t proc proc "$1/proc"; mount --rbind /dev "$1/dev"; mount -t tmpfs tmpfs "$1/tmp"; hostname "$2"
exec chroot "$1" setpriv --reuid 42439 --regid 42439 --clear-groups --bounding-set=-all --no-new-privs \
 env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin POD_NAME="$2" stackwright-agent rabbitmq --domain="$3"`
		m.command = exec.Command("ip", "netns", "exec", m.ns(), "unshare", "-m", "-p", "-u", "--fork", "--kill-child",
			"bash", "-c", script, "_", m.root(), podName(i), domain)
		m.command.Stdout, m.command.Stderr, m.log = log, log, log
		m.command.SysProcAttr = &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGKILL}
		if err := m.command.Start(); err != nil {
			l.t.Fatal(err)
		}
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
		l.members[i].command = nil
	}
}

// lose removes members' volumes.
func (l *lab) lose(members ...int) {
	for _, i := range members {
		run(l.t, "bash", "-c", "rm -rf "+l.members[i].root()+"/var/lib/rabbitmq/*")
	}
}

// cut takes a member off the network, or puts it back.
func (l *lab) cut(i int, state string) {
	run(l.t, "ip", "-n", fabric, "link", "set", l.members[i].link(), state)
}

func (l *lab) close() {
	for _, m := range l.members {
		if m.command != nil {
			_ = syscall.Kill(m.first(), syscall.SIGKILL)
			_ = m.command.Wait()
		}
		_ = exec.Command("umount", "-l", m.root()).Run()
		m.disconnect()
	}
	if l.t.Failed() || os.Getenv("KEEP") != "" {
		keep := filepath.Join(os.TempDir(), "rabbitmq-members-logs")
		_ = os.RemoveAll(keep)
		_ = os.MkdirAll(keep, 0o755)
		_ = exec.Command("bash", "-c", fmt.Sprintf("cp %s/*.log %s", l.dir, keep)).Run()
		l.t.Logf("the members' logs are in %s", keep)
	}
}

// until polls until f is true and returns how long that took.
func until(t *testing.T, what string, d time.Duration, f func() bool) time.Duration {
	t.Helper()
	began := time.Now()
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
	return time.Since(began)
}
