// Package controlplane says how etcd, kube-apiserver, kube-controller-manager and kube-scheduler of a cluster are run.
// They live in a network namespace of their own, which no cut node takes with it.
package controlplane

import (
	"context"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"time"

	"stackwright.dev/devcluster/internal/apiserver"
	"stackwright.dev/devcluster/internal/cluster"
	"stackwright.dev/devcluster/internal/component"
	"stackwright.dev/devcluster/internal/namespace"
	"stackwright.dev/devcluster/internal/pki"
	"stackwright.dev/devcluster/internal/process"
)

const socketPoll = 20 * time.Millisecond

// Plane is the control plane of a cluster.
type Plane struct {
	Cluster   *cluster.Cluster
	Authority *pki.Authority
	Binary    string // the program that is every component
}

// Prepare makes keys and kubeconfigs, keeping those that are there.
func (p Plane) Prepare() error {
	c := p.Cluster
	if err := os.MkdirAll(c.Etcd(), 0o700); err != nil {
		return fmt.Errorf("making folder of etcd: %w", err)
	}
	if err := p.config().Prepare(p.Authority); err != nil {
		return err
	}
	clients := map[string]pki.Subject{
		"admin":                     {Name: "admin", Groups: []string{"system:masters"}},
		component.ControllerManager: {Name: "system:kube-controller-manager"},
		component.Scheduler:         {Name: "system:kube-scheduler"},
	}
	for name, subject := range clients {
		path := p.key(name + ".kubeconfig")
		if name == "admin" {
			path = c.Kubeconfig()
		}
		if err := Kubeconfig(c, p.Authority, name, subject, path); err != nil {
			return err
		}
	}
	return nil
}

// Kubeconfig writes how subject reaches the API server of the cluster.
func Kubeconfig(c *cluster.Cluster, authority *pki.Authority, name string, subject pki.Subject, path string) error {
	client, err := authority.Ensure(c.Keys(), name, subject)
	if err != nil {
		return err
	}
	access := pki.Access{
		Name: "devcluster-" + c.Name, Server: fmt.Sprintf("https://%s:%d", c.API(), cluster.APIPort),
		Authority: authority.Certificate(), Client: client,
	}
	return access.WriteKubeconfig(path)
}

// Units are the programs of the control plane.
func (p Plane) Units() []process.Unit {
	server := append(p.config().Arguments(),
		"--authorization-mode=Node,RBAC",
		"--enable-admission-plugins=NodeRestriction",
		// Webhooks and aggregated APIs are called at the addresses of their pods: no kube-proxy serves this namespace.
		"--enable-aggregator-routing=true",
	)
	database := p.unit(component.Etcd, []string{p.Cluster.Etcd(), p.Cluster.Name},
		func(context.Context) error { return nil })
	// It listens on sockets alone, and has a dead supervisor replaced by one that is in no network but the machine's.
	database.Namespaces = namespace.Set{}
	return []process.Unit{
		database,
		p.unit(component.APIServer, server, func(ctx context.Context) error {
			return waitSocket(ctx, filepath.Join(p.Cluster.Etcd(), "client.sock"))
		}),
		p.unit(component.ControllerManager, p.controllerManager(), p.apiReady),
		p.unit(component.Scheduler, p.scheduler(), p.apiReady),
	}
}

func (p Plane) apiReady(ctx context.Context) error {
	return apiserver.WaitReady(ctx, p.Cluster.Kubeconfig())
}

func (p Plane) config() apiserver.Config {
	c := p.Cluster
	return apiserver.Config{
		Etcd: c.Etcd(), Keys: c.Keys(), Address: c.API().String(), Port: cluster.APIPort,
		Services: c.Services().String(), Hosts: []string{c.APIService().String(), "127.0.0.1"},
	}
}

func (p Plane) controllerManager() []string {
	kubeconfig := p.key(component.ControllerManager + ".kubeconfig")
	return []string{
		"--kubeconfig=" + kubeconfig,
		"--authentication-kubeconfig=" + kubeconfig,
		"--authorization-kubeconfig=" + kubeconfig,
		"--bind-address=127.0.0.1",
		"--leader-elect=false",
		"--use-service-account-credentials=true",
		"--service-account-private-key-file=" + p.key("service-account.key"),
		"--root-ca-file=" + p.key("ca.crt"),
		"--cluster-signing-cert-file=" + p.key("ca.crt"),
		"--cluster-signing-key-file=" + p.key("ca.key"),
		"--cluster-name=" + p.Cluster.Name,
		// A lost node is noticed after 20 s instead of 50; renewing its lease every 4 s a live one is not (see node).
		"--node-monitor-period=2s",
		"--node-monitor-grace-period=20s",
		// Made when it is missing, and then left behind.
		"--flex-volume-plugin-dir=" + filepath.Join(p.Cluster.State(), "volume-plugins"),
		"--profiling=false",
	}
}

func (p Plane) scheduler() []string {
	kubeconfig := p.key(component.Scheduler + ".kubeconfig")
	return []string{
		"--kubeconfig=" + kubeconfig,
		"--authentication-kubeconfig=" + kubeconfig,
		"--authorization-kubeconfig=" + kubeconfig,
		"--bind-address=127.0.0.1",
		"--leader-elect=false",
		"--profiling=false",
	}
}

func (p Plane) unit(name string, arguments []string, wait func(context.Context) error) process.Unit {
	return process.Unit{
		Spec: process.Spec{
			Name:       name,
			Command:    append([]string{p.Binary, name}, arguments...),
			Env:        []string{process.Garbage()},
			Folder:     p.Cluster.State(),
			Log:        p.Cluster.Log(name),
			Namespaces: namespace.Set{Network: namespace.Network(p.Cluster.ControlNetwork())},
		},
		Wait: wait,
	}
}

func (p Plane) key(name string) string { return filepath.Join(p.Cluster.Keys(), name) }

// waitSocket returns when something answers at the unix socket.
func waitSocket(ctx context.Context, path string) error {
	ticker := time.NewTicker(socketPoll)
	defer ticker.Stop()
	for {
		connection, err := net.Dial("unix", path)
		if err == nil {
			return connection.Close()
		}
		select {
		case <-ctx.Done():
			return fmt.Errorf("waiting for %s: %w", path, err)
		case <-ticker.C:
		}
	}
}
