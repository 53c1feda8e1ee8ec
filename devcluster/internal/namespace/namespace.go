// Package namespace makes the network and mount namespaces that nodes consist of, and runs things in them.
package namespace

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"

	"golang.org/x/sys/unix"
)

// NetworkRoot is where `ip netns` looks for namespaces, so that people can enter ours.
const NetworkRoot = "/run/netns"

// Set names the namespaces to run in; an empty path means the machine's own.
type Set struct {
	Network string
	Mount   string
}

// Network returns the path of the named network namespace.
func Network(name string) string { return filepath.Join(NetworkRoot, name) }

// Do runs f on a thread that is in the namespaces. What f starts stays in them.
//
// The thread is thrown away afterwards rather than led back: nothing else can ever run in the wrong namespace.
func (s Set) Do(f func() error) error {
	result := make(chan error, 1)
	go func() {
		runtime.LockOSThread() // and never unlocked, which ends the thread with this goroutine
		if err := s.enter(); err != nil {
			result <- err
			return
		}
		result <- f()
	}()
	return <-result
}

// enter goes into the network first: its name may not be visible from the other mounts.
func (s Set) enter() error {
	if s.Network != "" {
		if err := setns(s.Network, unix.CLONE_NEWNET); err != nil {
			return err
		}
	}
	if s.Mount == "" {
		return nil
	}
	// A thread that shares its root and working folder with others may not change its mounts.
	if err := unix.Unshare(unix.CLONE_FS); err != nil {
		return fmt.Errorf("unsharing file system state: %w", err)
	}
	return setns(s.Mount, unix.CLONE_NEWNS)
}

func setns(path string, kind int) error {
	file, err := os.Open(path)
	if err != nil {
		return fmt.Errorf("opening namespace: %w", err)
	}
	defer file.Close()
	if err := unix.Setns(int(file.Fd()), kind); err != nil {
		return fmt.Errorf("entering namespace %s: %w", path, err)
	}
	return nil
}

// EnsureNetwork makes the named network namespace unless it is there; made tells which.
func EnsureNetwork(name string) (made bool, err error) {
	path := Network(name)
	if pinned(path) {
		return false, nil
	}
	err = withRoot(func() error {
		// That is refused where it is no mount. A list of mounts has hidden ones, too.
		if err := unix.Mount("", NetworkRoot, "", unix.MS_SHARED, ""); !errors.Is(err, unix.EINVAL) {
			return err
		}
		// What others have pinned there would be hidden.
		if names, err := os.ReadDir(NetworkRoot); err != nil || len(names) > 0 {
			return err
		}
		if err := unix.Mount(NetworkRoot, NetworkRoot, "", unix.MS_BIND, ""); err != nil {
			return fmt.Errorf("mounting %s: %w", NetworkRoot, err)
		}
		if err := unix.Mount("", NetworkRoot, "", unix.MS_SHARED, ""); err != nil {
			return fmt.Errorf("sharing mount %s: %w", NetworkRoot, err)
		}
		return nil
	})
	if err != nil {
		return false, err
	}
	return true, create(unix.CLONE_NEWNET, path, func() error { return nil })
}

// RemoveNetwork lets go of the named network namespace, and of the folder's mount with the last one.
func RemoveNetwork(name string) error {
	if err := Remove(Network(name)); err != nil {
		return err
	}
	return withRoot(func() error {
		names, err := os.ReadDir(NetworkRoot)
		if err != nil || len(names) > 0 {
			return err
		}
		// It may be no mount, or in use.
		if err := unix.Unmount(NetworkRoot, 0); !errors.Is(err, unix.EINVAL) && !errors.Is(err, unix.EBUSY) {
			return err
		}
		return nil
	})
}

// withRoot runs f while nobody else of us looks at the mount of NetworkRoot.
//
// That folder is a shared mount of its own, as the first ip netns add makes it. Where we did not, it would do so later,
// with what we had pinned by then: pinned a second time over the first, which nobody can take away any more.
func withRoot(f func() error) error {
	if err := os.MkdirAll(NetworkRoot, 0o755); err != nil {
		return fmt.Errorf("making %s: %w", NetworkRoot, err)
	}
	// The folder above it stays the same, whatever is mounted.
	lock, err := os.Open(filepath.Dir(NetworkRoot))
	if err != nil {
		return fmt.Errorf("looking at %s: %w", NetworkRoot, err)
	}
	defer lock.Close()
	if err := unix.Flock(int(lock.Fd()), unix.LOCK_EX); err != nil {
		return fmt.Errorf("locking %s: %w", NetworkRoot, err)
	}
	return f()
}

// EnsureMount makes a mount namespace pinned at path, arranged by arrange from inside, unless it is there. The folder
// of path must be a private mount (see Private), or the kernel refuses to hold the namespace there.
func EnsureMount(path string, arrange func() error) error {
	if pinned(path) {
		return nil
	}
	return create(unix.CLONE_NEWNS|unix.CLONE_FS, path, arrange)
}

// Scratch runs f in a network namespace that ends with it.
func Scratch(f func() error) error {
	result := make(chan error, 1)
	go func() {
		runtime.LockOSThread() // never unlocked: thread and namespace end here
		if err := unix.Unshare(unix.CLONE_NEWNET); err != nil {
			result <- fmt.Errorf("making network namespace: %w", err)
			return
		}
		result <- f()
	}()
	return <-result
}

// Remove lets go of a pinned namespace; it ends with its last process.
func Remove(path string) error {
	for pinned(path) {
		if err := unix.Unmount(path, unix.MNT_DETACH); err != nil {
			return fmt.Errorf("unmounting %s: %w", path, err)
		}
	}
	if err := os.Remove(path); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("removing %s: %w", path, err)
	}
	return nil
}

// Private makes folder a mount of its own that passes nothing on.
func Private(folder string) error {
	if err := os.MkdirAll(folder, 0o711); err != nil {
		return fmt.Errorf("making %s: %w", folder, err)
	}
	mounted, err := mountpoint(folder)
	if err != nil || mounted {
		return err
	}
	if err := unix.Mount(folder, folder, "", unix.MS_BIND, ""); err != nil {
		return fmt.Errorf("mounting %s: %w", folder, err)
	}
	if err := unix.Mount("", folder, "", unix.MS_PRIVATE, ""); err != nil {
		return fmt.Errorf("making mount %s private: %w", folder, err)
	}
	return nil
}

// create makes a namespace and pins it at path. The kernel holds a mount namespace only in one that is older by number,
// and newer kernels (6.18) hand out the numbers from a stock per processor: a namespace made on another processor than
// ours was can have the smaller number. The processor that ours was made on always gives a larger one.
func create(flags int, path string, arrange func() error) error {
	err := createOn(nil, flags, path, arrange)
	if flags&unix.CLONE_NEWNS == 0 || !errors.Is(err, unix.EINVAL) {
		return err
	}
	var allowed unix.CPUSet
	if unix.SchedGetaffinity(0, &allowed) != nil {
		return err
	}
	for cpu, left := 0, allowed.Count(); left > 0; cpu++ {
		if !allowed.IsSet(cpu) {
			continue
		}
		left--
		var one unix.CPUSet
		one.Set(cpu)
		if err = createOn(&one, flags, path, arrange); !errors.Is(err, unix.EINVAL) {
			return err
		}
	}
	return err
}

// createOn unshares on a thread of its own, on the given processor if there is one, and pins what came of it from
// another: a thread in the new mount namespace could not.
func createOn(processor *unix.CPUSet, flags int, path string, arrange func() error) error {
	type thread struct {
		id  int
		err error
	}
	ready, release := make(chan thread), make(chan struct{})
	defer close(release)
	go func() {
		runtime.LockOSThread() // never unlocked: the thread ends here
		err := unshareOn(processor, flags)
		if err == nil {
			err = arrange()
		}
		ready <- thread{unix.Gettid(), err}
		<-release
	}()
	made := <-ready
	if made.err != nil {
		return fmt.Errorf("making namespace %s: %w", path, made.err)
	}
	kind := "net"
	if flags&unix.CLONE_NEWNS != 0 {
		kind = "mnt"
	}
	return pin(fmt.Sprintf("/proc/%d/task/%d/ns/%s", os.Getpid(), made.id, kind), path)
}

func unshareOn(processor *unix.CPUSet, flags int) error {
	if processor != nil {
		if err := unix.SchedSetaffinity(0, processor); err != nil {
			return fmt.Errorf("choosing a processor: %w", err)
		}
	}
	return unix.Unshare(flags)
}

func pin(source, path string) error {
	file, err := os.OpenFile(path, os.O_CREATE|os.O_RDONLY, 0o400)
	if err != nil {
		return fmt.Errorf("making %s: %w", path, err)
	}
	file.Close()
	if err := unix.Mount(source, path, "", unix.MS_BIND, ""); err != nil {
		return fmt.Errorf("pinning namespace %s: %w", path, err)
	}
	return nil
}

func pinned(path string) bool {
	var stat unix.Statfs_t
	return unix.Statfs(path, &stat) == nil && (stat.Type == unix.NSFS_MAGIC || stat.Type == unix.PROC_SUPER_MAGIC)
}
