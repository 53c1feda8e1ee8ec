package operator

import (
	"crypto/sha256"
	"encoding/hex"
	"os"
	"runtime/debug"
	"strconv"
	"strings"
)

// cgroupLimits are where the kernel tells a container its memory limit, by version of cgroups.
func cgroupLimits() []string {
	return []string{"/sys/fs/cgroup/memory.max", "/sys/fs/cgroup/memory/memory.limit_in_bytes"}
}

// LimitMemory keeps the heap under nine tenths of the container's memory limit, so that the collector works harder
// before the kernel kills. GOMEMLIMIT in the environment wins. It returns the limit, 0 when there is none.
func LimitMemory(files ...string) int64 {
	if os.Getenv("GOMEMLIMIT") != "" {
		return 0
	}
	if len(files) == 0 {
		files = cgroupLimits()
	}
	for _, f := range files {
		if limit := readLimit(f); limit > 0 {
			limit = limit / 10 * 9
			debug.SetMemoryLimit(limit)
			return limit
		}
	}
	return 0
}

// readLimit returns 0 for "max", and for the huge number by which cgroups v1 say that there is no limit.
func readLimit(file string) int64 {
	data, err := os.ReadFile(file)
	if err != nil {
		return 0
	}
	n, err := strconv.ParseInt(strings.TrimSpace(string(data)), 10, 64)
	if err != nil || n > 1<<50 {
		return 0
	}
	return n
}

// heapGrowth is by how many percent the heap grows between two collections: nearly all of it is caches that stay, so
// that to wait until it is twice as large is to hold as much garbage as there are caches.
const heapGrowth = 60

// KeepHeapSmall collects earlier than Go does by itself. GOGC in the environment wins.
func KeepHeapSmall() {
	if os.Getenv("GOGC") == "" {
		debug.SetGCPercent(heapGrowth)
	}
}

func digest(s string) string {
	sum := sha256.Sum256([]byte(s))
	return hex.EncodeToString(sum[:])[:8]
}
