// Package libvirt is the agent of a host of virtual machines: it keeps libvirtd going, and it sees to it that guests
// outlive libvirtd, its container and its pod.
//
// A container runtime ends all processes of a container's control groups when the container ends, and so does the
// kubelet with those of a pod. So libvirtd runs in control groups beside those of pods, and the guests that it starts
// with it. Only the agent stays behind; libvirtd ends when the agent does, guests do not. The pod has to share the
// processes of its node, as the kernel ends a namespace of processes with its first one.
package libvirt

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"syscall"
	"time"
)

// Config is how libvirtd is kept.
type Config struct {
	// Groups is where the node's control groups are mounted.
	Groups string
	// Name that libvirtd gives to its host.
	Name string
	// Folder is where libvirtd and Nova look for their files; / but in tests.
	Folder string
	// Owner of what is Nova's.
	Owner int
	// Guests is the user that guests run as.
	Guests int
	// Keys is a folder of keys of Cephs, in files that are called by the ids under which Nova asks for them. Empty: there
	// are none.
	Keys string
	// Address that libvirtd and QEMU listen at for other hosts. Empty: they do not.
	Address string
	// PKI is the folder of the certificates by which hosts know each other.
	PKI string
	// Options is a folder of what a person asks of libvirt, in files that are called as its own. Empty: nothing.
	Options string
	// Daemon is the command line of libvirtd.
	Daemon []string
}

// read takes the configuration from a command line. What is left of that is libvirtd's.
func read(role string, args []string) (c Config, err error) {
	f := flag.NewFlagSet(role, flag.ContinueOnError)
	f.StringVar(&c.Groups, "groups", "/sys/fs/cgroup", "where the node's control groups are mounted")
	f.StringVar(&c.Name, "name", "", "name that libvirtd gives to its host")
	f.StringVar(&c.Folder, "folder", "/", "folder in which the files of libvirtd and Nova are")
	f.IntVar(&c.Owner, "owner", 0, "user and group that Nova's files belong to")
	f.IntVar(&c.Guests, "guests", libvirtQEMU, "user that guests run as")
	f.StringVar(&c.Keys, "keys", "", "folder of keys of Cephs, in files that are called by their ids")
	f.StringVar(&c.Address, "address", "", "address that libvirtd and QEMU listen at for other hosts")
	f.StringVar(&c.PKI, "pki", "/etc/pki", "folder of the certificates by which hosts know each other")
	f.StringVar(&c.Options, "options", "", "folder of options for files of libvirt, in files of their names")
	if err := f.Parse(args); err != nil {
		return c, fmt.Errorf("reading flags: %w", err)
	}
	c.Daemon = f.Args()
	if c.Name == "" || len(c.Daemon) == 0 {
		return c, errors.New("--name and libvirtd's command line are needed, such as --name=node-1 -- libvirtd")
	}
	return c, nil
}

// libvirtQEMU is the user libvirt-qemu, to which Debian gives this number (libvirt-daemon-driver-qemu.postinst).
const libvirtQEMU = 64055

// endWithin is how long libvirtd may take to end. It only has its guests' state to write.
const endWithin = 20 * time.Second

// Run keeps libvirtd going until ctx ends. When it ends by itself so does the container.
func Run(ctx context.Context, args []string) error {
	c, err := read("libvirt", args)
	if err != nil {
		return err
	}
	if err := c.prepare(); err != nil {
		return err
	}
	self, err := os.Executable()
	if err != nil {
		return fmt.Errorf("finding the agent's binary: %w", err)
	}
	args = append([]string{"leave", "--groups=" + c.Groups, "--name=" + c.Name, fmt.Sprintf("--guests=%d", c.Guests),
		"--"}, c.Daemon...)
	// The process becomes libvirtd: a signal for it means libvirtd.
	cmd := exec.CommandContext(ctx, self, args...)
	cmd.Stdout, cmd.Stderr = os.Stdout, os.Stderr
	cmd.Cancel = func() error { return cmd.Process.Signal(syscall.SIGTERM) }
	cmd.WaitDelay = endWithin
	if c.Address != "" {
		go c.renew(ctx)
	}
	if err := cmd.Run(); ctx.Err() == nil {
		return fmt.Errorf("libvirtd ended by itself: %w", errors.Join(err, errors.New("its last words are above")))
	}
	return nil
}
