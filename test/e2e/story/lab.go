package story

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"stackwright.dev/stackwright/internal/agent"
	"stackwright.dev/stackwright/internal/pki"
)

// Service is what the members of a lab run, with all that their pods would be given.
type Service struct {
	// Image is run as the user and group ID.
	Image string
	ID    int
	// Name is that of the members without their numbers, Domain what follows it in the network, Names are what the
	// service's certificate is for.
	Name, Domain string
	Names        []string
	// Fabric is the network namespace that Inside has made; names of what belongs to members begin with Link, and
	// Subnet is the first three bytes of their addresses, with a point after them.
	Fabric, Link, Subnet string
	// Data is where the volume is, Sockets where sockets are.
	Data, Sockets string
	// Files are what Secrets and ConfigMaps would mount, by path.
	Files map[string]string
	// Command is the agent's, after its name.
	Command []string
}

// Lab is members of one service as containers on one network, without Kubernetes.
type Lab struct {
	*testing.T
	Service
	// Dir is where the members' logs are.
	Dir string
	// CA is who signs the service's certificates.
	CA      pki.Pair
	agents  pki.Pair
	members []*member
}

// member is a container: a root of its own, with a network and a pid namespace.
type member struct {
	root, ns, link string
	command        *exec.Cmd
	log            *os.File
}

// NewLab makes n members and starts none. What it made goes with the test.
func NewLab(t *testing.T, s Service, n int) *Lab {
	t.Helper()
	l := &Lab{T: t, Service: s, Dir: t.TempDir()}
	var err error
	if l.CA, err = pki.NewCA("test", time.Now()); err != nil {
		t.Fatal(err)
	}
	if l.agents, err = pki.NewCA("agent", time.Now()); err != nil {
		t.Fatal(err)
	}
	layers := Layers(t, s.Image)
	t.Cleanup(l.close)
	for i := range n {
		m := &member{root: filepath.Join(l.Dir, l.Pod(i), "root"), ns: fmt.Sprintf("%s-%d", s.Link, i),
			link: fmt.Sprintf("%s-v%d", s.Link, i)}
		l.members = append(l.members, m)
		l.furnish(m, layers, n)
		l.connect(m, l.IP(i))
	}
	l.Certify()
	return l
}

// Pod is the name of a member.
func (l *Lab) Pod(i int) string { return fmt.Sprintf("%s-%d", l.Name, i) }

// IP is the address of a member.
func (l *Lab) IP(i int) string { return fmt.Sprintf("%s%d", l.Subnet, i+1) }

// Exec runs a program of the machine and fails the test when that fails.
func (l *Lab) Exec(name string, args ...string) {
	l.Helper()
	if out, err := exec.Command(name, args...).CombinedOutput(); err != nil {
		l.Fatalf("%s %s: %v: %s", name, strings.Join(args, " "), err, out)
	}
}

func (l *Lab) write(path, text string) {
	l.Helper()
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		l.Fatal(err)
	}
}

// furnish makes a member's root.
func (l *Lab) furnish(m *member, layers string, n int) {
	l.Helper()
	dir := filepath.Dir(m.root)
	l.Exec("mkdir", "-p", dir+"/upper", dir+"/work", m.root)
	l.Exec("mount", "-t", "overlay", "overlay", "-o",
		fmt.Sprintf("lowerdir=%s,upperdir=%[2]s/upper,workdir=%[2]s/work", layers, dir), m.root)
	l.Exec("install", "-m", "755", Agent(), m.root+"/usr/bin/stackwright-agent")
	l.Exec("rm", "-rf", m.root+l.Data)
	id := strconv.Itoa(l.ID)
	for _, d := range []string{l.Data, l.Sockets, "/etc/stackwright", "/etc/stackwright/agent", "/etc/stackwright/tls"} {
		l.Exec("install", "-d", "-o", id, "-g", id, m.root+d)
	}
	for path, text := range l.Files {
		l.Exec("install", "-d", "-o", id, "-g", id, filepath.Dir(m.root+path))
		l.write(m.root+path, text)
	}
	hosts := []string{"127.0.0.1 localhost"}
	for i := range n {
		hosts = append(hosts, l.IP(i)+" "+l.Pod(i)+"."+l.Domain, l.IP(i)+" "+l.Domain)
	}
	l.write(m.root+"/etc/hosts", strings.Join(hosts, "\n")+"\n")
}

func (l *Lab) connect(m *member, ip string) {
	l.Helper()
	l.disconnect(m)
	l.Exec("ip", "netns", "add", m.ns)
	l.Exec("ip", "link", "add", m.link, "netns", l.Fabric, "type", "veth", "peer", "name", "eth0", "netns", m.ns)
	l.Exec("ip", "-n", l.Fabric, "link", "set", m.link, "master", "br0", "up")
	l.Exec("ip", "-n", m.ns, "link", "set", "lo", "up")
	l.Exec("ip", "-n", m.ns, "addr", "add", ip+"/24", "dev", "eth0")
	l.Exec("ip", "-n", m.ns, "link", "set", "eth0", "up")
}

// disconnect removes a member's network. The link goes first: one that goes with its namespace does so later.
func (l *Lab) disconnect(m *member) {
	_ = exec.Command("ip", "-n", l.Fabric, "link", "del", m.link).Run()
	_ = exec.Command("ip", "netns", "del", m.ns).Run()
}

// Certify gives every member a new pair of the service's CA and one of the agents', as the mounted Secrets do.
func (l *Lab) Certify() {
	l.Helper()
	service := l.issue(l.CA, pki.Request{CommonName: l.Name, Names: l.Names})
	server := l.issue(l.agents, pki.Request{CommonName: pki.RoleMember, Names: []string{"*." + l.Domain}})
	for _, m := range l.members {
		d := m.root + "/etc/stackwright/"
		l.write(d+"tls/tls.crt", string(service.Cert))
		l.write(d+"tls/tls.key", string(service.Key))
		l.write(d+"tls/ca.crt", string(service.CA))
		l.write(d+"agent/ca.crt", string(server.CA))
		l.write(d+"agent/server.crt", string(server.Cert))
		l.write(d+"agent/server.key", string(server.Key))
	}
}

func (l *Lab) issue(ca pki.Pair, r pki.Request) pki.Pair {
	l.Helper()
	p, err := pki.Issue(ca, r, time.Now())
	if err != nil {
		l.Fatal(err)
	}
	return p
}

// Start runs containers, as a kubelet does.
func (l *Lab) Start(members ...int) {
	l.Helper()
	const script = `mount -t proc proc "$1/proc"; mount --rbind /dev "$1/dev"; mount -t tmpfs tmpfs "$1/tmp"
mount -t tmpfs -o "uid=$4,gid=$4,mode=0770" tmpfs "$1$5"; hostname "$2"
root=$1 name=$2 ip=$3 id=$4; shift 5
exec chroot "$root" setpriv --reuid "$id" --regid "$id" --clear-groups --bounding-set=-all --no-new-privs \
 env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin POD_NAME="$name" POD_IP="$ip" stackwright-agent "$@"`
	for _, i := range members {
		m := l.members[i]
		log, err := os.OpenFile(filepath.Join(l.Dir, l.Pod(i)+".log"), os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o644)
		if err != nil {
			l.Fatal(err)
		}
		args := []string{"netns", "exec", m.ns, "unshare", "-m", "-p", "-u", "--fork", "--kill-child", "bash", "-c", script,
			"_", m.root, l.Pod(i), l.IP(i), strconv.Itoa(l.ID), l.Sockets}
		m.command, m.log = exec.Command("ip", append(args, l.Command...)...), log
		m.command.Stdout, m.command.Stderr = log, log
		m.command.SysProcAttr = &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGKILL}
		if err := m.command.Start(); err != nil {
			l.Fatal(err)
		}
	}
}

// first returns the container's first process, 0 for none.
func (m *member) first() int {
	if m.command == nil {
		return 0
	}
	out, err := exec.Command("pgrep", "-P", strconv.Itoa(m.command.Process.Pid)).Output()
	if err != nil {
		return 0
	}
	line, _, _ := strings.Cut(string(out), "\n")
	pid, _ := strconv.Atoi(line)
	return pid
}

// Signal sends a signal to the first process of each member at once and waits until the containers have ended.
func (l *Lab) Signal(sig syscall.Signal, members ...int) {
	var pids []int
	for _, i := range members {
		if p := l.members[i].first(); p > 0 {
			pids = append(pids, p)
		}
	}
	for _, p := range pids {
		_ = syscall.Kill(p, sig)
	}
	for _, i := range members {
		l.members[i].ended()
	}
}

func (m *member) ended() {
	_ = m.command.Wait()
	_ = m.log.Close()
	m.command = nil
}

// Volume is the folder of a member's data, seen from outside.
func (l *Lab) Volume(i int) string { return l.members[i].root + l.Data }

// Bound gives a member that has not been started an empty volume of so many MiB.
func (l *Lab) Bound(i, size int) {
	l.Helper()
	l.Exec("mount", "-t", "tmpfs", "-o", fmt.Sprintf("size=%dm,uid=%d,gid=%[2]d,mode=0750", size, l.ID), "tmpfs",
		l.Volume(i))
}

// Lose empties members' volumes.
func (l *Lab) Lose(members ...int) {
	l.Helper()
	for _, i := range members {
		l.Exec("find", l.Volume(i), "-mindepth", "1", "-delete")
	}
}

// Cut takes a member off the network ("down"), or puts it back ("up").
func (l *Lab) Cut(i int, state string) {
	l.Helper()
	l.Exec("ip", "-n", l.Fabric, "link", "set", l.members[i].link, state)
}

func (l *Lab) close() {
	for _, m := range l.members {
		if pid := m.first(); pid > 0 {
			_ = syscall.Kill(pid, syscall.SIGKILL)
			m.ended()
		}
		_ = exec.Command("umount", "-l", m.root).Run()
		l.disconnect(m)
	}
	if l.Failed() || os.Getenv("KEEP") != "" {
		keep := filepath.Join(Artifacts(), namespace(l.T.Name()))
		_ = os.RemoveAll(keep)
		_ = os.MkdirAll(keep, 0o755)
		_ = exec.Command("bash", "-c", fmt.Sprintf("cp %s/*.log %s", l.Dir, keep)).Run()
		l.Logf("the members' logs are in %s", keep)
	}
}

// Agents calls the members' agents by address, because their names are known in the members only.
type Agents struct {
	lab     *Lab
	client  agent.Credentials
	mu      sync.Mutex
	clients map[string]*agent.Client
}

// Agents is the operator's way to the members.
func (l *Lab) Agents() *Agents {
	l.Helper()
	p := l.issue(l.agents, pki.Request{CommonName: pki.RoleOperator})
	return &Agents{lab: l, clients: map[string]*agent.Client{},
		client: agent.Credentials{CA: p.CA, Cert: p.Cert, Key: p.Key}}
}

// Call asks the agent of a member, which is named with its domain.
func (a *Agents) Call(ctx context.Context, host, what string, in, out any) error {
	c, err := a.to(host)
	if err != nil {
		return err
	}
	for i := range a.lab.members {
		if a.lab.Pod(i)+"."+a.lab.Domain == host {
			return c.Call(ctx, a.lab.IP(i), what, in, out)
		}
	}
	return fmt.Errorf("no such host: %s", host)
}

func (a *Agents) to(host string) (*agent.Client, error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.clients[host] == nil {
		conf, err := a.client.Config()
		if err != nil {
			return nil, err
		}
		conf.ServerName = host
		a.clients[host] = agent.NewClient(conf)
	}
	return a.clients[host], nil
}

// Close is there for who calls agents otherwise.
func (*Agents) Close() {}

// Until polls until f is true and returns how long that took. It fails the test after within.
func (l *Lab) Until(what string, within time.Duration, f func() bool) time.Duration {
	l.Helper()
	began := time.Now()
	ctx, cancel := context.WithTimeout(l.Context(), within)
	defer cancel()
	for !f() {
		if Pause(ctx, pace/2); ctx.Err() != nil {
			l.Fatalf("%s has not happened within %s", what, within)
		}
	}
	return time.Since(began)
}

// Pause waits for d or until ctx ends.
func Pause(ctx context.Context, d time.Duration) {
	select {
	case <-ctx.Done():
	case <-time.After(d):
	}
}
