//go:build e2e

package e2e

import (
	"path/filepath"
	"runtime"
	"testing"

	"golang.org/x/sys/unix"

	"stackwright.dev/devcluster/internal/namespace"
)

// A machine that is itself a mount namespace (a container, a service with private mounts) was made on some processor,
// and the kernel numbers namespaces per processor.
func TestMountsArePinnedFromANamespaceOfAnyProcessor(t *testing.T) {
	for cpu := range runtime.NumCPU() {
		for range 8 {
			if err := fromNamespaceMadeOn(cpu, filepath.Join(t.TempDir(), "mounts")); err != nil {
				t.Errorf("in a namespace made on processor %d: %v", cpu, err)
			}
		}
	}
}

func fromNamespaceMadeOn(cpu int, folder string) error {
	result := make(chan error, 1)
	go func() {
		runtime.LockOSThread() // never unlocked: thread and namespace end here
		var one unix.CPUSet
		one.Set(cpu)
		result <- func() error {
			if err := unix.SchedSetaffinity(0, &one); err != nil {
				return err
			}
			if err := unix.Unshare(unix.CLONE_NEWNS | unix.CLONE_FS); err != nil {
				return err
			}
			if err := unix.Mount("", "/", "", unix.MS_REC|unix.MS_PRIVATE, ""); err != nil {
				return err
			}
			if err := namespace.Private(folder); err != nil {
				return err
			}
			return namespace.EnsureMount(filepath.Join(folder, "node"), func() error { return nil })
		}()
	}()
	return <-result
}
