package namespace

import (
	"bufio"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"

	"golang.org/x/sys/unix"
)

// Mounts lists the mount points at and below folder, the deepest and latest first.
func Mounts(folder string) ([]string, error) {
	file, err := os.Open("/proc/self/mountinfo")
	if err != nil {
		return nil, fmt.Errorf("listing mounts: %w", err)
	}
	defer file.Close()
	var found []string
	scanner := bufio.NewScanner(file)
	for scanner.Scan() {
		point := strings.Fields(scanner.Text())[4]
		if point == folder || strings.HasPrefix(point, folder+"/") {
			found = append(found, point)
		}
	}
	slices.Reverse(found)
	return found, scanner.Err()
}

// UnmountAll unmounts everything at and below folder.
func UnmountAll(folder string) error {
	mounts, err := Mounts(folder)
	if err != nil {
		return err
	}
	var errs []error
	for _, point := range mounts {
		if err := unix.Unmount(point, unix.MNT_DETACH); err != nil {
			errs = append(errs, fmt.Errorf("unmounting %s: %w", point, err))
		}
	}
	return errors.Join(errs...)
}

func mountpoint(folder string) (bool, error) {
	mounts, err := Mounts(folder)
	return slices.Contains(mounts, folder), err
}
