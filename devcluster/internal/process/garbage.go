package process

import "golang.org/x/sys/unix"

// roomy is the memory of a machine, in bytes, from which on a component may let garbage pile up.
const roomy = 12 << 30

// Garbage is the environment variable that tells a component how much garbage it may have before it collects it, in
// percent of what it uses. With all kinds of a cloud kube-apiserver uses half a GiB, and collecting at each quarter
// of a GiB took most of its processor time while a cloud came up. At rest it collects every two minutes in any case.
func Garbage() string {
	var info unix.Sysinfo_t
	if err := unix.Sysinfo(&info); err != nil {
		return garbage(0)
	}
	return garbage(info.Totalram * uint64(info.Unit))
}

func garbage(memory uint64) string {
	if memory < roomy {
		return "GOGC=50"
	}
	return "GOGC=200"
}
