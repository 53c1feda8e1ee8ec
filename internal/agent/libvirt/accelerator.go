package libvirt

import (
	"bufio"
	"bytes"
	"cmp"
	"context"
	"fmt"
	"io"
	"log/slog"
	"os"
	"os/exec"
	"slices"
	"strings"
	"syscall"
	"time"
)

// Accelerators that guests run on, as Nova calls them in virt_type.
const (
	hardware = "kvm"
	software = "qemu"
)

// The firmware of an empty machine says that there is nothing to start half a second after it began, unless the
// processor refuses what it does.
const (
	bootWithin = 5 * time.Second
	booted     = "No bootable device"
)

// decide finds out whether guests can run on the processor, and leaves the answer for Nova in run/libvirt/accelerator.
// It is asked from outside of the pod's control groups, which keep the device from it.
func (c Config) decide() error {
	as := &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: uint32(c.Guests), Gid: uint32(c.group())}}
	accelerator, why := choose(context.Background(), "/proc/cpuinfo", "qemu-system-x86_64", as)
	slog.Info("it is decided what guests run on", "accelerator", accelerator, "because", why)
	if err := os.WriteFile(c.path("run/libvirt/accelerator"), []byte(accelerator+"\n"), 0o644); err != nil {
		return fmt.Errorf("writing down what guests run on: %w", err)
	}
	return nil
}

// choose asks the processor first. A kernel may offer KVM without its help (pvm is such a one): it emulates what
// firmware does, and guests stop at an instruction that it lacks, at some starts and not at others. A try tells nothing
// of that.
func choose(ctx context.Context, cpuinfo, emulator string, as *syscall.SysProcAttr) (accelerator, why string) {
	content, err := os.ReadFile(cpuinfo)
	if err != nil {
		return software, fmt.Sprintf("asking what the processor can do: %v", err)
	}
	if !virtualizes(string(content)) {
		return software, "the processor has neither vmx nor svm among its flags"
	}
	return probe(ctx, emulator, as)
}

// virtualizes tells whether a processor runs guests itself, by the text of /proc/cpuinfo.
func virtualizes(cpuinfo string) bool {
	for line := range strings.Lines(cpuinfo) {
		name, flags, _ := strings.Cut(line, ":")
		if strings.TrimSpace(name) == "flags" {
			all := strings.Fields(flags)
			return slices.Contains(all, "vmx") || slices.Contains(all, "svm")
		}
	}
	return false
}

// probe starts an empty machine on the processor as it is, as guests are, and as their user. That the device is there
// says little: in a virtual machine it may refuse instructions and registers that firmware and guests need.
func probe(ctx context.Context, emulator string, as *syscall.SysProcAttr) (accelerator, why string) {
	ctx, stop := context.WithTimeout(ctx, bootWithin)
	defer stop()
	cmd := exec.CommandContext(ctx, emulator, "-accel", "kvm", "-cpu", "host", "-machine", "pc", "-m", "64", "-nodefaults",
		"-net", "none", "-display", "none", "-chardev", "stdio,id=firmware",
		"-device", "isa-debugcon,iobase=0x402,chardev=firmware")
	cmd.SysProcAttr = as
	cmd.WaitDelay = time.Second
	var errs bytes.Buffer
	cmd.Stderr = &errs
	said, err := cmd.StdoutPipe()
	if err == nil {
		err = cmd.Start()
	}
	if err != nil {
		return software, fmt.Sprintf("starting a machine on KVM: %v", err)
	}
	runs := saw(said, booted)
	stop()
	_ = cmd.Wait() // it was killed, or has said why it ended
	if runs {
		return hardware, "a machine started on KVM"
	}
	reason, _, _ := strings.Cut(strings.TrimSpace(errs.String()), "\n")
	return software, "no machine starts on KVM: " + cmp.Or(reason, "its firmware hangs")
}

// saw tells whether a line with the words comes before the end.
func saw(from io.Reader, words string) bool {
	for lines := bufio.NewScanner(from); lines.Scan(); {
		if strings.Contains(lines.Text(), words) {
			return true
		}
	}
	return false
}
