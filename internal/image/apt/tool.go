package apt

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"time"
)

// tools are programs and files that building needs, with the packages that bring them.
var tools = []struct{ path, pkg string }{
	{"/usr/bin/mmdebstrap", "mmdebstrap"},
	{keyring, "debian-archive-keyring"},
}

// InstallTools installs what building needs and the machine lacks; say is told what.
func InstallTools(ctx context.Context, say func(format string, args ...any)) error {
	var missing []string
	for _, tool := range tools {
		if _, err := os.Stat(tool.path); err != nil {
			missing = append(missing, tool.pkg)
		}
	}
	if len(missing) == 0 {
		return nil
	}
	what := strings.Join(missing, " ")
	if _, err := exec.LookPath("apt-get"); err != nil {
		return fmt.Errorf("finding %s: images are built on Debian: %w", what, err)
	}
	if os.Geteuid() != 0 {
		return fmt.Errorf("this machine lacks %s: install it, or run as root", what)
	}
	say("installing %s", what)
	install := append([]string{"install", "-y", "-q", "--no-install-recommends"}, missing...)
	if aptGet(ctx, install...) == nil {
		return nil
	}
	if err := aptGet(ctx, "update", "-q"); err != nil {
		return err
	}
	return aptGet(ctx, install...)
}

// Another apt-get may be at work: that of devcluster, which starts at the same time, or the machine's own upgrades.
const (
	locked     = "Could not get lock"
	lockPause  = time.Second
	lockWithin = 5 * time.Minute
)

// aptGet runs apt-get. It waits while another one has the lock; the option makes apt-get do so itself, and covers the
// lock of dpkg, not that of the lists.
func aptGet(ctx context.Context, args ...string) error {
	ctx, cancel := context.WithTimeout(ctx, lockWithin)
	defer cancel()
	for {
		cmd := exec.CommandContext(ctx, "apt-get", append([]string{"-o", "DPkg::Lock::Timeout=300"}, args...)...)
		cmd.Env = append(os.Environ(), "DEBIAN_FRONTEND=noninteractive", "LC_ALL=C.UTF-8")
		var stderr bytes.Buffer
		cmd.Stderr = &stderr
		err := cmd.Run()
		if err == nil {
			return nil
		}
		failure := &Error{Command: "apt-get " + args[0], Output: stderr.String(), cause: err}
		if !strings.Contains(stderr.String(), locked) {
			return failure
		}
		select {
		case <-ctx.Done():
			return failure
		case <-time.After(lockPause):
		}
	}
}
