// Package node says how containerd, kubelet, kube-proxy and CoreDNS of a node are run. A node has a network namespace,
// which makes it a machine to the others, and a mount namespace, which gives it folders of its own where Kubernetes'
// parts insist on fixed paths, and takes every mount away with the node.
package node

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"

	"stackwright.dev/devcluster/internal/apiserver"
	"stackwright.dev/devcluster/internal/cgroup"
	"stackwright.dev/devcluster/internal/cluster"
	"stackwright.dev/devcluster/internal/component"
	"stackwright.dev/devcluster/internal/controlplane"
	"stackwright.dev/devcluster/internal/image"
	"stackwright.dev/devcluster/internal/namespace"
	"stackwright.dev/devcluster/internal/pki"
	"stackwright.dev/devcluster/internal/process"
)

// Programs of a node that are not components of the one binary.
const (
	Containerd = "containerd"
	CoreDNS    = "coredns"
)

// Node is one node of a cluster.
type Node struct {
	cluster.Node
	Cluster   *cluster.Cluster
	Authority *pki.Authority
	Binary    string // the program that is every component; those of others lie beside it
}

// Prepare makes the node's folders, namespaces, control group, keys and configuration, keeping what is there. Its
// network must be there.
func (n Node) Prepare() error {
	folders := slices.AppendSeq([]string{"volumes", "containerd", "config", temporary}, maps.Values(Folders()))
	for _, folder := range folders {
		if err := os.MkdirAll(n.state(folder), 0o711); err != nil {
			return fmt.Errorf("making folder of %s: %w", n.Name, err)
		}
	}
	if err := os.MkdirAll(n.run(""), 0o711); err != nil {
		return fmt.Errorf("making run folder of %s: %w", n.Name, err)
	}
	if err := cgroup.Ensure(n.Cluster.NodeCgroup(n.Name)); err != nil {
		return err
	}
	if err := n.prepareMounts(); err != nil {
		return err
	}
	if err := n.prepareKeys(); err != nil {
		return err
	}
	return n.writeConfig()
}

// Remove takes everything of the node away but its network. Its own programs must have been stopped.
func (n Node) Remove() error {
	return errors.Join(
		n.killShims(),
		cgroup.Remove(n.Cluster.NodeCgroup(n.Name)),
		namespace.Remove(n.Cluster.NodeMounts(n.Name)),
		os.RemoveAll(n.run("")),
		os.RemoveAll(n.Cluster.NodeState(n.Name)),
	)
}

// Units are the programs of the node.
func (n Node) Units() []process.Unit {
	api := func(ctx context.Context) error { return apiserver.WaitReady(ctx, n.Cluster.Kubeconfig()) }
	return []process.Unit{
		n.unit(Containerd, []string{n.beside(Containerd), "--config", n.config("containerd.toml")}, nothing),
		n.unit(component.Kubelet, append([]string{n.Binary, component.Kubelet}, n.kubelet()...), n.kubeletReady),
		n.unit(component.Proxy, append([]string{n.Binary, component.Proxy}, n.proxy()...), api),
		n.unit(CoreDNS, []string{n.beside(CoreDNS), "-conf", n.config("Corefile")}, api),
	}
}

// Runtime is where the node's containerd answers.
func (n Node) Runtime() string { return n.run("containerd.sock") }

func nothing(context.Context) error { return nil }

// kubeletReady returns when kubelet can register at once and start its first pod: without the API server it would
// come back only after a pause that doubles each time.
func (n Node) kubeletReady(ctx context.Context) error {
	store, err := image.Open(n.Runtime())
	if err != nil {
		return err
	}
	defer store.Close()
	if err := store.Wait(ctx); err != nil {
		return err
	}
	if err := store.ImportPause(ctx, n.beside("pause")); err != nil {
		return err
	}
	return apiserver.WaitReady(ctx, n.Cluster.Kubeconfig())
}

func (n Node) unit(name string, command []string, wait func(context.Context) error) process.Unit {
	full := n.Name + "/" + name
	return process.Unit{
		Spec: process.Spec{
			Name:    full,
			Command: command,
			Env:     n.env(),
			Folder:  n.Cluster.NodeState(n.Name),
			Log:     n.Cluster.Log(full),
			Namespaces: namespace.Set{
				Network: namespace.Network(n.Cluster.NodeNetwork(n.Name)), Mount: n.Cluster.NodeMounts(n.Name),
			},
		},
		Wait: wait,
	}
}

// temporary is the folder of what programs write for a moment, which a shim that is killed leaves behind.
const temporary = "tmp"

// env is what differs from the environment of the cluster's supervisor. Shims have it too: they write the order for
// each command in a container where XDG_RUNTIME_DIR says, or else with the temporary files.
func (n Node) env() []string {
	return []string{process.Garbage(), "PATH=" + filepath.Dir(n.Binary) + ":/usr/sbin:/usr/bin:/sbin:/bin",
		"TMPDIR=" + n.state(temporary), "XDG_RUNTIME_DIR="}
}

func (n Node) prepareKeys() error {
	user := "system:node:" + n.Name
	clients := map[string]pki.Subject{
		component.Kubelet: {Name: user, Groups: []string{"system:nodes"}},
		component.Proxy:   {Name: "system:kube-proxy"},
		CoreDNS:           {Name: "system:coredns"},
	}
	for name, subject := range clients {
		err := controlplane.Kubeconfig(n.Cluster, n.Authority, n.Name+"-"+name, subject, n.config(name+".kubeconfig"))
		if err != nil {
			return err
		}
	}
	serving := pki.Subject{Name: user, Hosts: []string{n.Name, n.Cluster.NodeAddress(n.Node).String()}}
	_, err := n.Authority.Ensure(n.Cluster.Keys(), n.Name+"-serving", serving)
	return err
}

func (n Node) beside(program string) string { return filepath.Join(filepath.Dir(n.Binary), program) }

func (n Node) state(name string) string { return filepath.Join(n.Cluster.NodeState(n.Name), name) }

func (n Node) config(name string) string { return filepath.Join(n.state("config"), name) }

func (n Node) run(name string) string { return filepath.Join(n.Cluster.NodeRun(n.Name), name) }
