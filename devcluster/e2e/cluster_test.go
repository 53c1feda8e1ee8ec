//go:build e2e

package e2e

import (
	"errors"
	"fmt"
	"net"
	"net/url"
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"

	"github.com/vishvananda/netlink"
	"golang.org/x/sys/unix"

	"stackwright.dev/devcluster/internal/namespace"
)

func TestWorkloadIsServed(t *testing.T) {
	address := balancer(t, shared)
	if pod := answers(t, address, "/"); !strings.HasPrefix(pod, "probe-") {
		t.Errorf("load balancer answers %q, want the name of a pod", pod)
	}
	if lines := answers(t, address, "/write"); lines != "1" {
		t.Errorf("first write makes %s lines", lines)
	}
	hostPort := status(t, shared).Cluster.NodeAddress(status(t, shared).Cluster.Nodes[0]).String() + ":18080"
	if pod := answers(t, hostPort, "/"); !strings.HasPrefix(pod, "probe-") {
		t.Errorf("host port answers %q, want the name of a pod", pod)
	}
	service := kubectl(t, shared, "get", "service", "probe", "-o", "jsonpath={.spec.clusterIP}")
	for _, node := range []string{"node-1", "node-2"} {
		pod := podOn(t, shared, node)
		if found := answers(t, pod, "/resolve?name=probe"); found != service {
			t.Errorf("on %s probe resolves to %s, want %s", node, found, service)
		}
		if reply, err := ask(pod, "/resolve?name=example.invalid"); err == nil {
			t.Errorf("on %s a name outside of the cluster resolves to %s", node, reply)
		}
		for _, target := range []string{"http://probe", "http://probe.default.svc.cluster.local", "http://" + address} {
			if name := answers(t, pod, "/get?url="+url.QueryEscape(target)); !strings.HasPrefix(name, "probe-") {
				t.Errorf("from %s %s answers %q", node, target, name)
			}
		}
	}
	pod := kubectl(t, shared, "get", "pods", "--selector=app=probe", "-o", "name")
	if log := kubectl(t, shared, "logs", pod); !strings.Contains(log, "serving") {
		t.Errorf("log of %s is %q", pod, log)
	}
}

func TestUpAgainDoesNothing(t *testing.T) {
	before, begin := pids(t), time.Now()
	devcluster(t, "up", "--name", shared)
	if took := time.Since(begin); took > time.Second {
		t.Errorf("second up took %s", took)
	}
	if after := pids(t); fmt.Sprint(before) != fmt.Sprint(after) {
		t.Errorf("processes changed from %v to %v", before, after)
	}
}

func TestLoadAgainDoesNothing(t *testing.T) {
	output := devcluster(t, "load", "--name", shared, os.Getenv("PROBE_LAYOUT"))
	if strings.Count(output, "was there") != 2 {
		t.Errorf("second load prints %q", output)
	}
	archive := t.TempDir() + "/probe.tar"
	if err := quiet(tarOf(os.Getenv("PROBE_LAYOUT"), archive)); err != nil {
		t.Fatal(err)
	}
	if output := devcluster(t, "load", "--name", shared, archive); strings.Count(output, "was there") != 2 {
		t.Errorf("load of an archive prints %q", output)
	}
}

func TestKilledComponentComesBack(t *testing.T) {
	address := balancer(t, shared)
	for name, pid := range pids(t) {
		if name == "supervisor" {
			continue // see TestKilledSupervisorComesBack
		}
		t.Run(name, func(t *testing.T) {
			if err := unix.Kill(pid, unix.SIGKILL); err != nil {
				t.Fatal(err)
			}
			eventually(t, 30*time.Second, func() error {
				if now := pids(t)[name]; now == 0 || now == pid {
					return fmt.Errorf("%s has process %d after %d was killed", name, now, pid)
				}
				return quiet(command("kubectl", "--name", shared, "get", "--raw", "/readyz"))
			})
		})
	}
	eventually(t, 60*time.Second, func() error { return ready(shared) })
	answers(t, address, "/")
	kubectl(t, shared, "delete", "pod", "--selector=app=each", "--wait=true")
	kubectl(t, shared, "rollout", "status", "daemonset/each", "--timeout=60s")
}

func TestKilledSupervisorComesBack(t *testing.T) {
	before := pids(t)
	kill(t, before, "supervisor", "kube-scheduler") // what ends while there is none is started as well
	after := healed(t, before, "supervisor", "kube-scheduler")
	for name, pid := range after {
		if replaced := name == "supervisor" || name == "kube-scheduler"; !replaced && pid != before[name] {
			t.Errorf("%s was process %d and is %d", name, before[name], pid)
		}
	}
	kill(t, after, "etcd") // which looks after the supervisor
	again := healed(t, after, "etcd")
	kill(t, again, "supervisor")
	healed(t, again, "supervisor")
	eventually(t, 15*time.Second, func() error {
		if found := supervisors(t, shared); len(found) != 1 {
			return fmt.Errorf("supervisors are processes %v", found)
		}
		return nil
	})
}

func TestUpReplacesAKilledSupervisor(t *testing.T) {
	for name, victims := range map[string][]string{
		"while another comes": {"supervisor"}, "with who looks after it": {"supervisor", "etcd"},
	} {
		t.Run(name, func(t *testing.T) {
			before := pids(t)
			kill(t, before, victims...)
			devcluster(t, "up", "--name", shared)
			healed(t, before, victims...)
		})
	}
}

// kill ends the processes of components at once.
func kill(t *testing.T, pids map[string]int, names ...string) {
	t.Helper()
	for _, name := range names {
		if err := unix.Kill(pids[name], unix.SIGKILL); err != nil {
			t.Fatal(err)
		}
	}
}

// healed waits until the cluster is ready with other processes of the named components, and returns those of all.
func healed(t *testing.T, before map[string]int, names ...string) map[string]int {
	t.Helper()
	began, after := time.Now(), map[string]int{}
	eventually(t, 15*time.Second, func() error {
		status, err := readStatus(shared)
		if err != nil || !status.Ready {
			return errors.Join(err, errors.New("the cluster is not ready"))
		}
		for _, component := range status.Components {
			after[component.Name] = component.PID
		}
		for _, name := range names {
			if after[name] == 0 || after[name] == before[name] {
				return fmt.Errorf("%s was process %d and is %d", name, before[name], after[name])
			}
		}
		return nil
	})
	t.Logf("%v after %s", names, time.Since(began).Round(time.Millisecond))
	return after
}

func TestNodeCutAndHealed(t *testing.T) {
	address, far := balancer(t, shared), podOn(t, shared, "node-2")
	answers(t, far, "/")
	devcluster(t, "node", "cut", "node-2", "--name", shared)
	if _, err := ask(far, "/"); err == nil {
		t.Error("a pod on a cut node answers")
	}
	eventually(t, 60*time.Second, func() error { return nodeIs(t, "node-2", "Unknown") })
	answers(t, address, "/")
	answers(t, podOn(t, shared, "node-1"), "/resolve?name=probe")
	devcluster(t, "node", "heal", "node-2", "--name", shared)
	eventually(t, 60*time.Second, func() error { return nodeIs(t, "node-2", "True") })
	answers(t, far, "/get?url="+url.QueryEscape("http://probe"))
}

func TestNodeAddedAndRemoved(t *testing.T) {
	devcluster(t, "node", "add", "--name", shared)
	devcluster(t, "load", "--name", shared, os.Getenv("PROBE_LAYOUT"))
	eventually(t, 60*time.Second, func() error {
		ready := kubectl(t, shared, "get", "daemonset", "each", "-o", "jsonpath={.status.numberReady}")
		if ready != "3" {
			return fmt.Errorf("%s pods are ready", ready)
		}
		return nil
	})
	answers(t, podOn(t, shared, "node-3"), "/get?url="+url.QueryEscape("http://probe"))
	devcluster(t, "node", "remove", "node-3", "--name", shared)
	eventually(t, 20*time.Second, func() error {
		if nodes := kubectl(t, shared, "get", "nodes", "-o", "name"); strings.Contains(nodes, "node-3") {
			return errors.New("node-3 is still there")
		}
		return ready(shared)
	})
}

// TestBridgeKeepsItsAddress plugs in what would take the bridge's link address over: the lowest there is.
func TestBridgeKeepsItsAddress(t *testing.T) {
	c := status(t, shared).Cluster
	err := namespace.Set{Network: namespace.Network(c.ControlNetwork())}.Do(func() error {
		before, err := netlink.LinkByName("bridge")
		if err != nil {
			return err
		}
		port := &netlink.Veth{LinkAttrs: netlink.NewLinkAttrs(), PeerName: "lowest-peer"}
		port.Name, port.MasterIndex = "lowest", before.Attrs().Index
		port.HardwareAddr = net.HardwareAddr{0x00, 0x00, 0x00, 0x00, 0x00, 0x01}
		if err := netlink.LinkAdd(port); err != nil {
			return err
		}
		defer func() { _ = netlink.LinkDel(port) }()
		now, err := netlink.LinkByName("bridge")
		if err == nil && now.Attrs().HardwareAddr.String() != before.Attrs().HardwareAddr.String() {
			err = fmt.Errorf("the bridge had %s and has %s", before.Attrs().HardwareAddr, now.Attrs().HardwareAddr)
		}
		return err
	})
	if err != nil {
		t.Error(err)
	}
}

// TestNodeReachesServices is for what runs in a node's own network, such as agents of the network itself; a closed port
// answers, too.
func TestNodeReachesServices(t *testing.T) {
	c := status(t, shared).Cluster
	service := kubectl(t, shared, "get", "service", "probe", "-o", "jsonpath={.spec.clusterIP}")
	for _, address := range []string{service + ":80", c.DNSService().String() + ":53",
		c.DataAddress(c.Nodes[1]).String() + ":9"} {
		err := namespace.Set{Network: namespace.Network(c.NodeNetwork(c.Nodes[0].Name))}.Do(func() error {
			link, err := net.DialTimeout("tcp", address, 5*time.Second)
			if err == nil {
				err = link.Close()
			}
			return err
		})
		if err != nil && !errors.Is(err, unix.ECONNREFUSED) {
			t.Errorf("%s cannot be reached from %s: %v", address, c.Nodes[0].Name, err)
		}
	}
}

// TestNetworkOutside is for what makes the third link of a node its own: here the node itself, for a moment.
func TestNetworkOutside(t *testing.T) {
	s := status(t, shared)
	node := s.Cluster.NodeNetwork(s.Cluster.Nodes[1].Name)
	address := s.Outside.Gateway.Next().Next()
	for _, command := range [][]string{
		{"address", "add", address.String() + "/24", "dev", s.Outside.Link}, {"link", "set", s.Outside.Link, "up"},
	} {
		if out, err := exec.Command("ip", append([]string{"-n", node}, command...)...).CombinedOutput(); err != nil {
			t.Fatalf("ip %v: %v: %s", command, err, out)
		}
	}
	t.Cleanup(func() {
		flush := exec.Command("ip", "-n", node, "address", "flush", "dev", s.Outside.Link)
		if out, err := flush.CombinedOutput(); err != nil {
			t.Errorf("taking the address away again: %v: %s", err, out)
		}
	})
	// A closed port answers, too.
	if _, err := net.DialTimeout("tcp", address.String()+":9", 5*time.Second); !errors.Is(err, unix.ECONNREFUSED) {
		t.Errorf("the machine does not reach %s: %v", address, err)
	}
}

func nodeIs(t *testing.T, node, wanted string) error {
	t.Helper()
	found := kubectl(t, shared, "get", "node", node, "-o", `jsonpath={.status.conditions[?(@.type=="Ready")].status}`)
	if found != wanted {
		return fmt.Errorf("Ready of %s is %s, want %s", node, found, wanted)
	}
	return nil
}

// pids are the processes of the shared cluster's components.
func pids(t *testing.T) map[string]int {
	t.Helper()
	found := map[string]int{}
	for _, component := range status(t, shared).Components {
		found[component.Name] = component.PID
	}
	return found
}

const onlyFromFriends = `
apiVersion: networking.k8s.io/v1
kind: NetworkPolicy
metadata: {name: probe}
spec:
  podSelector: {matchLabels: {app: probe}}
  ingress: [{from: [{podSelector: {matchLabels: {friend: "true"}}}]}]
`

func TestNetworkPolicyIsEnforced(t *testing.T) {
	address := balancer(t, shared)
	answers(t, address, "/")
	pod := kubectl(t, shared, "get", "pods", "--selector=app=each", "--field-selector=spec.nodeName=node-2", "-o", "name")
	kubectl(t, shared, "label", pod, "friend=true")
	t.Cleanup(func() {
		kubectl(t, shared, "delete", "networkpolicy", "probe", "--ignore-not-found")
		kubectl(t, shared, "label", pod, "friend-")
	})
	if err := apply(shared, onlyFromFriends); err != nil {
		t.Fatal(err)
	}
	eventually(t, 20*time.Second, func() error {
		if name, err := ask(address, "/"); err == nil {
			return fmt.Errorf("%s answers somebody who is not allowed", name)
		}
		return nil
	})
	through := "/get?url=" + url.QueryEscape("http://probe")
	answers(t, podOn(t, shared, "node-2"), through)
	if name, err := ask(podOn(t, shared, "node-1"), through); err == nil {
		t.Errorf("%s answers a pod that is not allowed", name)
	}
	kubectl(t, shared, "rollout", "status", "deployment/probe", "--timeout=20s") // the kubelet's probes pass
	kubectl(t, shared, "delete", "networkpolicy", "probe")
	answers(t, address, "/")
}

const sizedWorkload = `
apiVersion: v1
kind: PersistentVolumeClaim
metadata: {name: sized}
spec:
  {storageClassName: devcluster-sized, accessModes: [ReadWriteOnce], resources: {requests: {storage: 16Mi}}}
---
apiVersion: v1
kind: Pod
metadata: {name: sized}
spec:
  nodeSelector: {kubernetes.io/hostname: node-2}
  terminationGracePeriodSeconds: 1
  containers:
  - name: probe
    image: localhost/probe:1
    volumeMounts: [{name: data, mountPath: /data}]
  volumes: [{name: data, persistentVolumeClaim: {claimName: sized}}]
`

func TestSizedVolumeCanBeFull(t *testing.T) {
	if err := apply(shared, sizedWorkload); err != nil {
		t.Fatal(err)
	}
	kubectl(t, shared, "wait", "--for=condition=Ready", "pod/sized", "--timeout=60s")
	address := kubectl(t, shared, "get", "pod", "sized", "-o", "jsonpath={.status.podIP}") + ":8080"
	if reply, err := ask(address, "/fill?bytes=4194304"); err != nil {
		t.Errorf("writing 4 MiB to a volume of 16: %s, %v", reply, err)
	}
	if _, err := ask(address, "/fill?bytes=33554432"); err == nil || !strings.Contains(err.Error(), "no space left") {
		t.Errorf("writing 32 MiB to a volume of 16: %v", err)
	}
	volume := kubectl(t, shared, "get", "pvc", "sized", "-o", "jsonpath={.spec.volumeName}")
	kubectl(t, shared, "delete", "pod/sized", "pvc/sized", "--wait=true")
	eventually(t, 20*time.Second, func() error {
		if left := globs(t, status(t, shared).Cluster.Volumes("node-2")+"/"+volume+"*"); len(left) > 0 {
			return fmt.Errorf("still there: %s", left)
		}
		return nil
	})
}
