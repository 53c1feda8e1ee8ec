package node

import (
	"embed"
	"fmt"
	"os"
	"path/filepath"
	"text/template"

	"stackwright.dev/devcluster/internal/cluster"
	"stackwright.dev/devcluster/internal/image"
)

//go:embed files
var files embed.FS

// facts are what the configuration files of a node are filled with.
type facts struct {
	Run, Config, CNI, Containerd string
	Pause                        string
	Pods, Cgroup, DNSService     string
	Address, API, CA, Key, Cert  string
	Network                      string
	DNSPort                      int
}

func (n Node) writeConfig() error {
	templates, err := template.ParseFS(files, "files/*")
	if err != nil {
		return fmt.Errorf("parsing configuration templates: %w", err)
	}
	keys := n.Cluster.Keys()
	filled := facts{
		Run: n.run(""), Config: n.state("config"), CNI: n.config("cni"), Containerd: n.state("containerd"),
		Pause: image.Pause, Pods: n.Cluster.NodePods(n.Node).String(), Cgroup: n.Cluster.NodeCgroup(n.Name),
		DNSService: n.Cluster.DNSService().String(), Address: n.Cluster.NodeAddress(n.Node).String(),
		CA: filepath.Join(keys, "ca.crt"), Cert: filepath.Join(keys, n.Name+"-serving.crt"),
		Key: filepath.Join(keys, n.Name+"-serving.key"), Network: n.Cluster.NodeNetwork(n.Name),
		DNSPort: cluster.DNSPort,
	}
	if err := os.MkdirAll(filled.CNI, 0o711); err != nil {
		return fmt.Errorf("making folder of CNI configuration: %w", err)
	}
	for _, tmpl := range templates.Templates() {
		path := n.config(tmpl.Name())
		if filepath.Ext(path) == ".conflist" {
			path = filepath.Join(filled.CNI, tmpl.Name())
		}
		if err := fill(tmpl, path, filled); err != nil {
			return err
		}
	}
	return nil
}

func fill(tmpl *template.Template, path string, filled facts) error {
	file, err := os.OpenFile(path, os.O_CREATE|os.O_WRONLY|os.O_TRUNC, 0o600)
	if err != nil {
		return fmt.Errorf("writing %s: %w", path, err)
	}
	if err := tmpl.Execute(file, filled); err != nil {
		file.Close()
		return fmt.Errorf("writing %s: %w", path, err)
	}
	return file.Close()
}

func (n Node) kubelet() []string {
	return []string{
		"--config=" + n.config("kubelet.yaml"),
		"--kubeconfig=" + n.config("kubelet.kubeconfig"),
		"--hostname-override=" + n.Name,
		"--node-ip=" + n.Cluster.NodeAddress(n.Node).String(),
		"--node-labels=topology.kubernetes.io/zone=" + n.Name,
	}
}

func (n Node) proxy() []string {
	return []string{
		"--kubeconfig=" + n.config("kube-proxy.kubeconfig"),
		"--hostname-override=" + n.Name,
		"--proxy-mode=nftables",
		"--cluster-cidr=" + n.Cluster.Pods().String(),
		// These limits belong to the whole machine and cannot be written from a network namespace.
		"--conntrack-max-per-core=0",
		"--conntrack-tcp-timeout-established=0",
		"--conntrack-tcp-timeout-close-wait=0",
	}
}
