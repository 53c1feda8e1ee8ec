package cgroup

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestParseMount(t *testing.T) {
	for name, test := range map[string]struct {
		line string
		want Hierarchy
		ok   bool
	}{
		"version 1": {
			line: "36 35 0:31 / /sys/fs/cgroup/cpu rw,relatime shared:9 - cgroup cgroup rw,cpu,cpuacct",
			want: Hierarchy{Path: "/sys/fs/cgroup/cpu", Controllers: []string{"rw", "cpu", "cpuacct"}}, ok: true,
		},
		"version 2 that is not there": {line: "36 35 0:31 / /no/such/folder rw - cgroup2 cgroup2 rw"},
		"another file system":         {line: "22 1 254:0 / / rw,relatime - ext4 /dev/vda rw"},
		"no line of mountinfo":        {line: "36 35"},
	} {
		t.Run(name, func(t *testing.T) {
			got, ok := parseMount(test.line)
			if diff := cmp.Diff(test.want, got); diff != "" || ok != test.ok {
				t.Errorf("parseMount() = %t (-want +got):\n%s", ok, diff)
			}
		})
	}
}
