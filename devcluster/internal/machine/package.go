package machine

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"
)

// needs are the Debian packages a cluster needs and a file of each.
func needs() [][2]string {
	return [][2]string{
		{"runc", "/usr/sbin/runc"},
		{"containernetworking-plugins", "/usr/lib/cni/ptp"},
		{"nftables", "/usr/sbin/nft"},
		{"iptables", "/usr/sbin/iptables"},
		{"iproute2", "/sbin/ip"},
	}
}

// Missing lists the packages that are to be installed.
func Missing() []string { return missing("/") }

// missing looks for the packages below a folder.
func missing(root string) []string {
	var names []string
	for _, need := range needs() {
		if _, err := os.Stat(filepath.Join(root, need[1])); err != nil {
			names = append(names, need[0])
		}
	}
	return names
}

// Install installs Debian packages, refreshing the lists of what there is only if that is needed.
func Install(ctx context.Context, packages []string) error {
	if _, err := exec.LookPath("apt-get"); err != nil {
		return fmt.Errorf("missing %s, and this is no Debian: install what provides them", strings.Join(packages, ", "))
	}
	arguments := append([]string{"install", "--yes", "--no-install-recommends"}, packages...)
	if apt(ctx, arguments...) == nil {
		return nil
	}
	if err := apt(ctx, "update"); err != nil {
		return err
	}
	return apt(ctx, arguments...)
}

// Another apt-get may be at work: that of whoever builds images meanwhile, or the machine's own upgrades.
const (
	locked     = "Could not get lock"
	lockPause  = time.Second
	lockWithin = 5 * time.Minute
)

// apt runs apt-get. It waits while another one has the lock; the option makes apt-get do so itself, and covers the lock
// of dpkg, not that of the lists.
func apt(ctx context.Context, arguments ...string) error {
	ctx, cancel := context.WithTimeout(ctx, lockWithin)
	defer cancel()
	for {
		command := exec.CommandContext(ctx, "apt-get", append([]string{"--quiet", "-o", "DPkg::Lock::Timeout=300"},
			arguments...)...)
		command.Env = append(os.Environ(), "DEBIAN_FRONTEND=noninteractive", "LC_ALL=C.UTF-8")
		output, err := command.CombinedOutput()
		if err == nil {
			return nil
		}
		failure := fmt.Errorf("apt-get %s: %w: %s", strings.Join(arguments, " "), err, last(output))
		if !bytes.Contains(output, []byte(locked)) {
			return failure
		}
		select {
		case <-ctx.Done():
			return failure
		case <-time.After(lockPause):
		}
	}
}

// run runs a program; the error is the first line it prints, as nft draws below it where in the command it failed.
func run(program string, arguments ...string) error {
	output, err := exec.Command(program, arguments...).CombinedOutput()
	if line, _, _ := strings.Cut(strings.TrimSpace(string(output)), "\n"); err != nil && line != "" {
		return errors.New(line)
	}
	return err
}

func last(output []byte) string {
	lines := strings.Split(strings.TrimSpace(string(output)), "\n")
	return lines[len(lines)-1]
}
