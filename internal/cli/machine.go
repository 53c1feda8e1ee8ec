package cli

import (
	"bufio"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"syscall"
)

// machineChecks look at whether this machine can run a cluster. devcluster itself names what else is missing.
func machineChecks() []check {
	_, err := beside()
	return []check{checkRoot(os.Geteuid()), checkMemory("/proc/meminfo"), checkDisk("/var/lib", diskNeeded),
		checkCPU(runtime.NumCPU()), checkPrograms(err, programs...)}
}

// programs are a file of each Debian package that devcluster installs when it is not there.
var programs = []string{"/usr/sbin/runc", "/usr/lib/cni/ptp", "/usr/sbin/nft", "/usr/sbin/iptables", "/sbin/ip"}

func checkRoot(uid int) check {
	if uid == 0 {
		return check{Name: "user", State: checkOK, Message: "root"}
	}
	return check{Name: "user", State: checkFailed, Message: "you are not root",
		Do: "run it with sudo: network namespaces and mounts need root"}
}

const (
	memoryWanted = 7 << 30
	memoryNeeded = 4 << 30
	diskNeeded   = 8 << 30
)

func checkMemory(meminfo string) check {
	r := check{Name: "memory", State: checkFailed,
		Do: "a cluster with a whole small cloud wants 7 GiB of available memory, with Keystone only 4"}
	n, err := available(meminfo)
	if err != nil {
		r.State, r.Message = checkWarning, err.Error()
		return r
	}
	r.Message = fmt.Sprintf("%.1f GiB available", float64(n)/(1<<30))
	switch {
	case n >= memoryWanted:
		r.State = checkOK
	case n >= memoryNeeded:
		r.State = checkWarning
	}
	return r
}

func available(meminfo string) (int64, error) {
	f, err := os.Open(meminfo)
	if err != nil {
		return 0, fmt.Errorf("reading how much memory there is: %w", err)
	}
	defer func() { _ = f.Close() }()
	for s := bufio.NewScanner(f); s.Scan(); {
		if fields := strings.Fields(s.Text()); len(fields) > 1 && fields[0] == "MemAvailable:" {
			kib, err := strconv.ParseInt(fields[1], 10, 64)
			return kib << 10, err
		}
	}
	return 0, fmt.Errorf("%s does not say how much memory is available", meminfo)
}

func checkDisk(dir string, needed int64) check {
	var st syscall.Statfs_t
	if err := syscall.Statfs(dir, &st); err != nil {
		return check{Name: "disk", State: checkWarning, Message: err.Error()}
	}
	free := int64(st.Bavail) * st.Bsize // no file system is that large
	r := check{Name: "disk", State: checkOK, Message: fmt.Sprintf("%.1f GiB free in %s", float64(free)/(1<<30), dir)}
	if free < needed {
		r.State, r.Do = checkFailed, "free some: images and volumes need 8 GiB"
	}
	return r
}

func checkCPU(n int) check {
	r := check{Name: "cpu", State: checkOK, Message: fmt.Sprintf("%d %s", n, runtime.GOARCH)}
	if n < 2 {
		r.State, r.Do = checkWarning, "two cores are the least that is comfortable"
	}
	return r
}

// checkPrograms looks for what devcluster needs beside itself, if it was found at all; it installs what Debian has.
func checkPrograms(devcluster error, programs ...string) check {
	if devcluster != nil {
		return check{Name: "programs", State: checkFailed, Message: "devcluster is not there", Do: "build it: make build"}
	}
	var missing []string
	for _, p := range programs {
		if _, err := os.Stat(p); err != nil {
			missing = append(missing, filepath.Base(p))
		}
	}
	if len(missing) > 0 {
		return check{Name: "programs", State: checkWarning, Message: strings.Join(missing, ", ") + " not installed",
			Do: "up installs them from Debian's packages"}
	}
	return check{Name: "programs", State: checkOK, Message: "devcluster and what it needs"}
}
