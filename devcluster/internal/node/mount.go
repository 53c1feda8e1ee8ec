package node

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"golang.org/x/sys/unix"

	"stackwright.dev/devcluster/internal/cgroup"
	"stackwright.dev/devcluster/internal/cluster"
	"stackwright.dev/devcluster/internal/namespace"
	"stackwright.dev/devcluster/internal/storage"
)

// Folders are the fixed paths of which every node sees its own, and what it sees there of its state.
func Folders() map[string]string {
	return map[string]string{
		"/var/lib/kubelet":     "kubelet",
		"/var/lib/cni":         "cni",
		"/var/lib/openvswitch": "openvswitch",
		"/var/lib/stackwright": "stackwright",
		"/var/log/pods":        "pods",
		"/var/log/containers":  "containers",
	}
}

func (n Node) prepareMounts() error {
	pin := n.Cluster.NodeMounts(n.Name)
	if err := namespace.Private(filepath.Dir(pin)); err != nil {
		return err
	}
	for folder := range Folders() {
		if err := cluster.Borrow(folder); err != nil {
			return err
		}
	}
	return namespace.EnsureMount(pin, n.arrange)
}

// arrange runs in the new mount namespace. What the machine mounts still comes in, but nothing goes out.
func (n Node) arrange() error {
	if err := unix.Mount("", "/", "", unix.MS_SLAVE|unix.MS_REC, ""); err != nil {
		return fmt.Errorf("detaching mounts: %w", err)
	}
	if err := n.ownRun(); err != nil {
		return err
	}
	for folder, state := range Folders() {
		if err := unix.Mount(n.state(state), folder, "", unix.MS_BIND, ""); err != nil {
			return fmt.Errorf("mounting %s: %w", folder, err)
		}
	}
	if err := storage.MountSized(n.state("volumes")); err != nil {
		return err
	}
	// Pods that mount for others (CSI drivers) need mounts that are shared within the node.
	if err := unix.Mount("", "/", "", unix.MS_SHARED|unix.MS_REC, ""); err != nil {
		return fmt.Errorf("sharing mounts: %w", err)
	}
	return nil
}

// ownRun gives the node an empty /run that holds only its own sockets.
func (n Node) ownRun() error {
	kept, err := os.Open(n.run(""))
	if err != nil {
		return fmt.Errorf("opening run folder: %w", err)
	}
	defer kept.Close()
	if err := unix.Mount("tmpfs", "/run", "tmpfs", unix.MS_NOSUID|unix.MS_NODEV, "mode=755"); err != nil {
		return fmt.Errorf("mounting /run: %w", err)
	}
	if err := os.MkdirAll(n.run(""), 0o711); err != nil {
		return fmt.Errorf("making run folder: %w", err)
	}
	if err := unix.Mount(fmt.Sprintf("/proc/self/fd/%d", kept.Fd()), n.run(""), "", unix.MS_BIND, ""); err != nil {
		return fmt.Errorf("mounting run folder: %w", err)
	}
	return nil
}

// killShims ends the processes that containerd left in the cluster's control group to watch over this node's
// containers.
func (n Node) killShims() error {
	pids, err := cgroup.Processes(n.Cluster.SystemCgroup())
	if err != nil {
		return err
	}
	for _, pid := range pids {
		command, err := os.ReadFile(fmt.Sprintf("/proc/%d/cmdline", pid))
		if err == nil && strings.Contains(string(command), "\x00"+n.Runtime()+"\x00") {
			_ = unix.Kill(pid, unix.SIGKILL) // one that is gone is what we want
		}
	}
	return nil
}
