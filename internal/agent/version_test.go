package agent

import "testing"

func TestOlder(t *testing.T) {
	for name, test := range map[string]struct {
		image, volume string
		want          bool
	}{
		"first start":     {"4.0.5", "", false},
		"same":            {"4.0.5", "4.0.5", false},
		"patch back":      {"4.0.5", "4.0.9", false},
		"minor back":      {"4.0.5", "4.1.0", true},
		"major back":      {"3.13.7", "4.0.5", true},
		"minor forth":     {"4.2.0", "4.0.5", false},
		"two digits":      {"4.10.0", "4.9.1", false},
		"two digits back": {"4.9.1", "4.10.0", true},
	} {
		t.Run(name, func(t *testing.T) {
			if got := Older(test.image, test.volume); got != test.want {
				t.Errorf("image %s on a volume of %s is too old: %t, want %t", test.image, test.volume, got, test.want)
			}
		})
	}
}
