// Package machine finds out whether this machine can run a cluster, and installs what it lacks.
package machine

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/vishvananda/netlink"
	"golang.org/x/sys/unix"

	"stackwright.dev/devcluster/internal/cgroup"
	"stackwright.dev/devcluster/internal/namespace"
)

// facts are what Check asks the machine.
type facts struct {
	user        func() int
	exists      func(file string) bool
	controllers func() ([]string, error)
	filesystems func() ([]byte, error)
	run         func(program string, arguments ...string) error
	// scratch runs f in a network namespace that ends with it, link makes a link in there.
	scratch func(f func() error) error
	link    func(netlink.Link) error
}

// Check tells everything that this machine lacks, each with what to do.
func Check(programs string) error {
	return facts{
		user: os.Geteuid,
		exists: func(file string) bool {
			_, err := os.Stat(file)
			return err == nil
		},
		controllers: controllers,
		filesystems: func() ([]byte, error) { return os.ReadFile("/proc/filesystems") },
		run:         run,
		scratch:     namespace.Scratch,
		link:        netlink.LinkAdd,
	}.check(programs)
}

func (f facts) check(programs string) error {
	if f.user() != 0 {
		return errors.New("a cluster needs root for namespaces, mounts and control groups: run it with sudo")
	}
	return errors.Join(f.programs(programs), f.cgroups(), f.filesystem("overlay"), f.links())
}

func (f facts) programs(folder string) error {
	var missing []string
	for _, program := range []string{"containerd", "containerd-shim-runc-v2", "coredns", "pause"} {
		if !f.exists(filepath.Join(folder, program)) {
			missing = append(missing, program)
		}
	}
	if len(missing) == 0 {
		return nil
	}
	return fmt.Errorf("missing in %s: %s; build all programs of devcluster into one folder (see docs/devcluster.md)",
		folder, strings.Join(missing, ", "))
}

// controllers lists the control group controllers of the kernel.
func controllers() ([]string, error) {
	hierarchies, err := cgroup.Hierarchies()
	var found []string
	for _, hierarchy := range hierarchies {
		found = append(found, hierarchy.Controllers...)
	}
	return found, err
}

func (f facts) cgroups() error {
	found, err := f.controllers()
	if err != nil {
		return err
	}
	var missing []string
	for _, controller := range []string{"cpu", "cpuset", "memory", "pids"} {
		if !slices.Contains(found, controller) {
			missing = append(missing, controller)
		}
	}
	if len(missing) == 0 {
		return nil
	}
	return fmt.Errorf("the kernel offers no control group controllers %s: mount them below /sys/fs/cgroup, or boot "+
		"without cgroup_disable=", strings.Join(missing, ", "))
}

func (f facts) filesystem(name string) error {
	content, err := f.filesystems()
	if err != nil {
		return fmt.Errorf("listing file systems: %w", err)
	}
	if strings.Contains(string(content), "\t"+name+"\n") || f.run("modprobe", name) == nil {
		return nil
	}
	return fmt.Errorf("the kernel has no file system %s: load its module with `modprobe %s`", name, name)
}

// links tries, in a network namespace that ends with its thread, to make the links that join nodes, and to filter
// packets.
func (f facts) links() error {
	for _, module := range []string{"veth", "bridge", "nf_tables"} {
		_ = f.run("modprobe", module) // one that cannot be loaded may be part of the kernel, and is tried out below
	}
	var lacks error
	err := f.scratch(func() error {
		lacks = f.tryLinks()
		return nil
	})
	if errors.Is(err, unix.EPERM) {
		err = refused("CAP_SYS_ADMIN", err)
	}
	return errors.Join(err, lacks)
}

func (f facts) tryLinks() error {
	attributes := netlink.NewLinkAttrs()
	attributes.Name = "probe0"
	err := f.link(&netlink.Veth{LinkAttrs: attributes, PeerName: "probe1"})
	if errors.Is(err, unix.EPERM) {
		return refused("CAP_NET_ADMIN", err) // as is all that follows
	}
	if err != nil {
		err = fmt.Errorf("the kernel makes no veth links (%w): load the module with `modprobe veth`", err)
	}
	attributes.Name = "probe2"
	if bridge := f.link(&netlink.Bridge{LinkAttrs: attributes}); bridge != nil {
		err = errors.Join(err, fmt.Errorf(
			"the kernel makes no bridges (%w): load the module with `modprobe bridge`", bridge))
	}
	if table := f.run("nft", "add", "table", "ip", "probe"); table != nil {
		err = errors.Join(err, fmt.Errorf(
			"the kernel filters no packets by nftables (%w): load the module with `modprobe nf_tables`", table))
	}
	return err
}

// refused says which capability the kernel wants. Root of a machine has it, root of a container may not.
func refused(capability string, err error) error {
	return fmt.Errorf("root has no %s here (%w): run devcluster on the machine itself, or in a privileged container",
		capability, err)
}
