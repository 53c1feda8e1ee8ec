package apiserver

import (
	"fmt"
	"os"
	"path/filepath"

	"golang.org/x/sys/unix"
)

const prefix = "devcluster-api-"

// openFolder returns the folder to serve from and a function that forgets it. A temporary one is locked by its owner,
// so that the next server can remove what a killed one left behind.
func openFolder(given string) (string, func(), error) {
	if given != "" {
		if err := os.MkdirAll(given, 0o700); err != nil {
			return "", nil, fmt.Errorf("making data folder: %w", err)
		}
		absolute, err := filepath.Abs(given)
		return absolute, func() {}, err
	}
	sweep()
	folder, err := os.MkdirTemp("", prefix)
	if err != nil {
		return "", nil, fmt.Errorf("making temporary folder: %w", err)
	}
	lock, err := lock(folder)
	if err != nil {
		return "", nil, err
	}
	return folder, func() {
		os.RemoveAll(folder)
		lock.Close()
	}, nil
}

func sweep() {
	stale, err := filepath.Glob(filepath.Join(os.TempDir(), prefix+"*"))
	if err != nil {
		return
	}
	for _, folder := range stale {
		if lock, err := lock(folder); err == nil {
			os.RemoveAll(folder)
			lock.Close()
		}
	}
}

func lock(folder string) (*os.File, error) {
	file, err := os.Open(folder)
	if err != nil {
		return nil, fmt.Errorf("opening %s: %w", folder, err)
	}
	if err := unix.Flock(int(file.Fd()), unix.LOCK_EX|unix.LOCK_NB); err != nil {
		file.Close()
		return nil, fmt.Errorf("locking %s: %w", folder, err)
	}
	return file, nil
}
