// Package cluster is the description of one cluster: what it consists of, and where everything of it lives. All else
// follows from this, so that a supervisor, a command or the next boot come to the same names.
package cluster

import (
	"fmt"
	"path/filepath"
	"regexp"
	"slices"
)

// Roots of all clusters: what is kept, and what ends with the machine.
const (
	StateRoot = "/var/lib/devcluster"
	RunRoot   = "/run/devcluster"
)

const (
	longestName = 20 // names become parts of socket paths, which may have 108 bytes
	mostNodes   = 100
)

// Cluster is one cluster of this machine.
type Cluster struct {
	Name  string `json:"name"`
	Index int    `json:"index"` // which of the address ranges is its own
	Nodes []Node `json:"nodes"`
}

// Node is one node of a cluster.
type Node struct {
	Name   string `json:"name"`
	Number int    `json:"number"`        // decides its addresses; never used twice at a time
	Cut    bool   `json:"cut,omitempty"` // off the network, by request
}

// CheckName tells why name cannot be that of a cluster.
func CheckName(name string) error {
	valid := regexp.MustCompile(`^[a-z]([a-z0-9-]*[a-z0-9])?$`)
	if len(name) > longestName || !valid.MatchString(name) {
		return fmt.Errorf("cluster name %q is not valid: use up to %d lower-case letters, digits and inner hyphens, "+
			"beginning with a letter", name, longestName)
	}
	return nil
}

// AddNode adds a node with the lowest free number.
func (c *Cluster) AddNode() (Node, error) {
	for number := 1; number <= mostNodes; number++ {
		used := func(n Node) bool { return n.Number == number }
		if slices.ContainsFunc(c.Nodes, used) {
			continue
		}
		node := Node{Name: fmt.Sprintf("node-%d", number), Number: number}
		c.Nodes = append(c.Nodes, node)
		return node, nil
	}
	return Node{}, fmt.Errorf("cluster %s has %d nodes, which is the limit; remove one first", c.Name, mostNodes)
}

// Node returns the node of that name, to read or to change.
func (c *Cluster) Node(name string) (*Node, error) {
	for i := range c.Nodes {
		if c.Nodes[i].Name == name {
			return &c.Nodes[i], nil
		}
	}
	names := make([]string, 0, len(c.Nodes))
	for _, node := range c.Nodes {
		names = append(names, node.Name)
	}
	return nil, fmt.Errorf("cluster %s has no node %q, only %q", c.Name, name, names)
}

// RemoveNode forgets the node of that name.
func (c *Cluster) RemoveNode(name string) error {
	if _, err := c.Node(name); err != nil {
		return err
	}
	if len(c.Nodes) == 1 {
		return fmt.Errorf("%s is the last node of cluster %s; remove the cluster with `devcluster down --name %s`",
			name, c.Name, c.Name)
	}
	c.Nodes = slices.DeleteFunc(c.Nodes, func(n Node) bool { return n.Name == name })
	return nil
}

// State is the folder of all that outlives a reboot.
func (c *Cluster) State() string { return filepath.Join(StateRoot, c.Name) }

// Run is the folder of sockets and namespaces.
func (c *Cluster) Run() string { return filepath.Join(RunRoot, c.Name) }

// Keys is the folder of certificates and keys.
func (c *Cluster) Keys() string { return filepath.Join(c.State(), "pki") }

// Etcd is the folder of the database.
func (c *Cluster) Etcd() string { return filepath.Join(c.State(), "etcd") }

// Kubeconfig is the administrator's.
func (c *Cluster) Kubeconfig() string { return filepath.Join(c.State(), "kubeconfig") }

// Socket is where the supervisor answers.
func (c *Cluster) Socket() string { return filepath.Join(c.Run(), "supervisor.sock") }

// Log is the file that a component prints to.
func (c *Cluster) Log(component string) string {
	return filepath.Join(c.State(), "log", component+".log")
}

// NodeState is the folder of all that a node keeps.
func (c *Cluster) NodeState(node string) string { return filepath.Join(c.State(), "nodes", node) }

// NodeRun is the folder of a node's sockets.
func (c *Cluster) NodeRun(node string) string { return filepath.Join(c.Run(), node) }

// Volumes is the folder of a node's persistent volumes.
func (c *Cluster) Volumes(node string) string { return filepath.Join(c.NodeState(node), "volumes") }

// ControlNetwork names the network namespace of the control plane and of the bridge.
func (c *Cluster) ControlNetwork() string { return "dc-" + c.Name }

// NodeNetwork names the network namespace of a node. The dot keeps it from being another cluster's control network.
func (c *Cluster) NodeNetwork(node string) string { return "dc-" + c.Name + "." + node }

// NodeMounts is where the mount namespace of a node is pinned.
func (c *Cluster) NodeMounts(node string) string { return filepath.Join(c.Run(), "mounts", node) }

// Cgroup is the path of the cluster's control group below each controller's mount point.
func (c *Cluster) Cgroup() string { return filepath.Join("/devcluster", c.Name) }

// SystemCgroup holds the cluster's own processes.
func (c *Cluster) SystemCgroup() string { return filepath.Join(c.Cgroup(), "system") }

// NodeCgroup holds the pods of a node.
func (c *Cluster) NodeCgroup(node string) string { return filepath.Join(c.Cgroup(), node) }
