package libvirt

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"stackwright.dev/stackwright/internal/agent"
)

// ofGuests is the folder of QEMU's certificates, in the node's memory. A guest outlives the pod that started it, and
// goes on to see that one's mounts: those of Secrets as they were, none in folders that were the pod's, and the node's
// as they are, of which this is one.
const ofGuests = "etc/stackwright/pki"

// Files below the folder of certificates: what libvirtd reads when it starts, and what QEMU reads.
func forDaemon() []string {
	return []string{"CA/cacert.pem", "libvirt/servercert.pem", "libvirt/private/serverkey.pem"}
}

func forGuests() []string {
	return []string{"qemu/ca-cert.pem", "qemu/server-cert.pem", "qemu/server-key.pem", "qemu/client-cert.pem",
		"qemu/client-key.pem", "vnc/ca-cert.pem", "vnc/server-cert.pem", "vnc/server-key.pem"}
}

// share puts QEMU's certificates where guests find them as long as they run.
func (c Config) share() error {
	for _, name := range forGuests() {
		content, err := os.ReadFile(filepath.Join(c.PKI, name))
		if err != nil {
			return fmt.Errorf("reading the certificates of guests: %w", err)
		}
		file := c.path(ofGuests, name)
		if err := os.MkdirAll(filepath.Dir(file), 0o700); err != nil {
			return fmt.Errorf("making the folder of the certificates of guests: %w", err)
		}
		// A file is never seen half.
		err = os.WriteFile(file+".new", content, 0o600)
		for _, path := range []string{file + ".new", filepath.Dir(file)} {
			err = errors.Join(err, os.Chown(path, c.Guests, -1))
		}
		if err == nil {
			err = os.Rename(file+".new", file)
		}
		if err != nil {
			return fmt.Errorf("writing the certificates of guests: %w", err)
		}
	}
	return nil
}

// renew has libvirtd, and guests for their screens, read their certificates again when they change, as they do so by
// themselves only when they start. Those who call read theirs for each call, and so does QEMU for a server that moves.
func (c Config) renew(ctx context.Context) {
	r := &agent.Renewal{Files: agent.Within(c.PKI, append(forDaemon(), forGuests()...)...),
		Reload: func(ctx context.Context) error { return errors.Join(c.share(), reread(ctx)) }}
	r.Begin()
	for ticks := time.Tick(agent.RenewalEvery); ; {
		select {
		case <-ctx.Done():
			return
		case <-ticks:
			r.Look(ctx)
		}
	}
}

func reread(ctx context.Context) error {
	ctx, stop := context.WithTimeout(ctx, agent.RenewalEvery)
	defer stop()
	if _, err := ask(ctx, "virt-admin", "--connect", "libvirtd:///system", "server-update-tls", "libvirtd"); err != nil {
		return err
	}
	guests, err := ask(ctx, "virsh", "--connect", "qemu:///system", "--quiet", "list", "--name")
	for guest := range strings.FieldsSeq(guests) {
		_, failed := ask(ctx, "virsh", "--connect", "qemu:///system", "--quiet", "domdisplay-reload", guest)
		err = errors.Join(err, failed)
	}
	return err
}

// ask runs a command and returns what it says.
func ask(ctx context.Context, command ...string) (string, error) {
	said, err := exec.CommandContext(ctx, command[0], command[1:]...).CombinedOutput()
	if err != nil {
		return "", fmt.Errorf("%s: %w: %s", strings.Join(slices.DeleteFunc(command, func(word string) bool {
			return strings.HasPrefix(word, "-")
		}), " "), err, strings.TrimSpace(string(said)))
	}
	return string(said), nil
}
