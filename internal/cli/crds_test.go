package cli

import (
	"strings"
	"testing"
)

func TestDefinitionsOfGroups(t *testing.T) {
	for name, c := range map[string]struct {
		groups      []string
		has, hasNot []string
	}{
		"all": {nil, []string{"kind: Server\n", "kind: Keystone\n", "kind: Galera\n", "kind: Cloud\n"}, nil},
		"identity": {[]string{"identity"}, []string{"kind: Role\n", "kind: Cloud\n"},
			[]string{"kind: Server\n", "kind: Galera\n"}},
		"operators": {[]string{"operators"}, []string{"kind: Galera\n", "kind: OpenStackControlPlane\n"},
			[]string{"kind: Cloud\n", "kind: Role\n", "kind: Keystone\n"}},
	} {
		t.Run(name, func(t *testing.T) {
			files, err := definitions(c.groups)
			if err != nil {
				t.Fatal(err)
			}
			text := strings.Join(files, "")
			for _, want := range c.has {
				if !strings.Contains(text, want) {
					t.Errorf("%q is missing", want)
				}
			}
			for _, no := range c.hasNot {
				if strings.Contains(text, no) {
					t.Errorf("%q is there", no)
				}
			}
		})
	}
	if _, err := definitions([]string{"network", "oops"}); err == nil || !strings.Contains(err.Error(), "identity") {
		t.Errorf("an unknown group is not refused with the known ones: %v", err)
	}
}
