package mariadb

import (
	"fmt"
	"syscall"
)

// A writer closes before its volume is full: what MariaDB does then depends on which of its files wants to grow, and a
// member that cannot apply what the others have committed is lost.
const (
	// reservePart of a volume, but at most reserveMost bytes of it, is not for clients.
	reservePart = 20
	reserveMost = 1 << 30
)

// space returns the bytes of the volume that are free and those that it has.
func (v *Volume) space() (free, size uint64, err error) {
	var fs syscall.Statfs_t
	if err := syscall.Statfs(v.Path(), &fs); err != nil {
		return 0, 0, fmt.Errorf("asking for the room on the volume: %w", err)
	}
	return fs.Bavail * uint64(fs.Bsize), fs.Blocks * uint64(fs.Bsize), nil
}

// full tells whether the reserve is touched. It was full before: then half as much again has to be free, so that writes
// do not open and close all the time.
func full(free, size uint64, before bool) bool {
	reserve := min(size/reservePart, reserveMost)
	if before {
		reserve += reserve / 2
	}
	return free < reserve
}
