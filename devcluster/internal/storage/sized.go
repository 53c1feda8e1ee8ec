package storage

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"

	"golang.org/x/sys/unix"

	"stackwright.dev/devcluster/internal/namespace"
)

// A volume whose size is enforced is a file system in a file beside its folder, mounted there in the mount namespace
// of its node only.
const suffix = ".ext4"

// makeSized makes a volume of a size and mounts it.
func makeSized(path string, bytes int64, mounts string) error {
	file, err := os.OpenFile(path+suffix, os.O_CREATE|os.O_RDWR, 0o600)
	if err != nil {
		return fmt.Errorf("making volume: %w", err)
	}
	defer file.Close()
	if err := file.Truncate(bytes); err != nil { // takes no space until it is written to
		return fmt.Errorf("sizing volume: %w", err)
	}
	if err := run("mkfs.ext4", "-q", "-F", "-m", "0", "-E", "root_owner=0:0,nodiscard", path+suffix); err != nil {
		return fmt.Errorf("formatting volume of %s bytes: %w", strconv.FormatInt(bytes, 10), err)
	}
	return namespace.Set{Mount: mounts}.Do(func() error { return mountSized(path) })
}

// MountSized mounts the volumes of a size in a folder. It runs in the mount namespace of their node, when that is new.
func MountSized(folder string) error {
	files, err := filepath.Glob(filepath.Join(folder, "*"+suffix))
	if err != nil {
		return fmt.Errorf("listing volumes: %w", err)
	}
	var errs []error
	for _, file := range files {
		errs = append(errs, mountSized(strings.TrimSuffix(file, suffix)))
	}
	return errors.Join(errs...)
}

func mountSized(path string) error {
	// The loop device ends with its last mount, and thus with the node.
	if err := run("mount", "-o", "loop", path+suffix, path); err != nil {
		return fmt.Errorf("mounting volume, which needs loop devices (%w): load their module with `modprobe loop`, and run "+
			"devcluster on the machine itself or in a privileged container that has its /dev", err)
	}
	if err := os.Chmod(path, mode); err != nil {
		return fmt.Errorf("opening volume to all users: %w", err)
	}
	return nil
}

// removeSized undoes makeSized, if that was how the volume was made.
func removeSized(path, mounts string) error {
	if _, err := os.Stat(path + suffix); errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	err := namespace.Set{Mount: mounts}.Do(func() error {
		err := unix.Unmount(path, unix.MNT_DETACH)
		if errors.Is(err, unix.EINVAL) { // not mounted any more
			return nil
		}
		return err
	})
	if err != nil && !errors.Is(err, fs.ErrNotExist) { // without its namespace the node is gone, and its mounts with it
		return fmt.Errorf("unmounting volume: %w", err)
	}
	if err := os.Remove(path + suffix); err != nil {
		return fmt.Errorf("removing volume: %w", err)
	}
	return nil
}

func run(program string, arguments ...string) error {
	if output, err := exec.Command(program, arguments...).CombinedOutput(); err != nil {
		return fmt.Errorf("%s: %w: %s", program, err, strings.TrimSpace(string(output)))
	}
	return nil
}
