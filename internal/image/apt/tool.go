package apt

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"os/exec"
	"strings"
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

func aptGet(ctx context.Context, args ...string) error {
	cmd := exec.CommandContext(ctx, "apt-get", args...)
	cmd.Env = append(os.Environ(), "DEBIAN_FRONTEND=noninteractive", "LC_ALL=C.UTF-8")
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	if err := cmd.Run(); err != nil {
		return &Error{Command: "apt-get " + args[0], Output: stderr.String(), cause: err}
	}
	return nil
}
