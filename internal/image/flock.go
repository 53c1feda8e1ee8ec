package image

import (
	"fmt"
	"os"
	"path/filepath"
	"syscall"
)

// lockCache keeps two builds from using one cache at the same time. The kernel gives the lock back when the process
// ends, however it ends.
func lockCache(cache string, waiting func()) (unlock func(), err error) {
	if err := os.MkdirAll(cache, 0o755); err != nil {
		return nil, fmt.Errorf("making the cache: %w", err)
	}
	file, err := os.OpenFile(filepath.Join(cache, "images.lock"), os.O_CREATE|os.O_RDWR, 0o644)
	if err != nil {
		return nil, fmt.Errorf("locking the cache: %w", err)
	}
	handle := int(file.Fd())
	if syscall.Flock(handle, syscall.LOCK_EX|syscall.LOCK_NB) != nil {
		waiting()
		if err := syscall.Flock(handle, syscall.LOCK_EX); err != nil {
			return nil, fmt.Errorf("locking the cache: %w", err)
		}
	}
	return func() { file.Close() }, nil
}
