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

	"stackwright.dev/devcluster/internal/cgroup"
	"stackwright.dev/devcluster/internal/namespace"
)

// Check tells everything that this machine lacks, each with what to do.
func Check(programs string) error {
	if os.Geteuid() != 0 {
		return errors.New("a cluster needs root for namespaces, mounts and control groups: run it with sudo")
	}
	return errors.Join(
		checkPrograms(programs), checkCgroups(), checkFilesystem("overlay"), checkVeth(),
	)
}

func checkPrograms(folder string) error {
	var missing []string
	for _, program := range []string{"containerd", "containerd-shim-runc-v2", "coredns", "pause"} {
		if _, err := os.Stat(filepath.Join(folder, program)); err != nil {
			missing = append(missing, program)
		}
	}
	if len(missing) == 0 {
		return nil
	}
	return fmt.Errorf("missing in %s: %s; build all programs of devcluster into one folder (see docs/devcluster.md)",
		folder, strings.Join(missing, ", "))
}

func checkCgroups() error {
	hierarchies, err := cgroup.Hierarchies()
	if err != nil {
		return err
	}
	var found, missing []string
	for _, hierarchy := range hierarchies {
		found = append(found, hierarchy.Controllers...)
	}
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

func checkFilesystem(name string) error {
	content, err := os.ReadFile("/proc/filesystems")
	if err != nil {
		return fmt.Errorf("listing file systems: %w", err)
	}
	if strings.Contains(string(content), "\t"+name+"\n") || modprobe(name) == nil {
		return nil
	}
	return fmt.Errorf("the kernel has no file system %s: load its module with `modprobe %s`", name, name)
}

// checkVeth tries, in a network namespace that ends with its thread, to make the links that join nodes.
func checkVeth() error {
	modprobeAll("veth", "bridge", "nf_tables")
	return namespace.Scratch(func() error {
		attributes := netlink.NewLinkAttrs()
		attributes.Name = "probe0"
		err := netlink.LinkAdd(&netlink.Veth{LinkAttrs: attributes, PeerName: "probe1"})
		if err != nil {
			err = fmt.Errorf("the kernel makes no veth links (%w): load the module with `modprobe veth`", err)
		}
		attributes.Name = "probe2"
		if bridge := netlink.LinkAdd(&netlink.Bridge{LinkAttrs: attributes}); bridge != nil {
			err = errors.Join(err, fmt.Errorf(
				"the kernel makes no bridges (%w): load the module with `modprobe bridge`", bridge))
		}
		return errors.Join(err, checkNftables())
	})
}

func checkNftables() error {
	if err := run("nft", "add", "table", "ip", "probe"); err != nil {
		return fmt.Errorf("the kernel filters no packets by nftables (%w): load the module with `modprobe nf_tables`",
			err)
	}
	return nil
}
