package mariadb

import (
	"os"
	"testing"
)

func TestFull(t *testing.T) {
	const mi, gi = 1 << 20, 1 << 30
	for name, c := range map[string]struct {
		free, size uint64
		before     bool
		want       bool
	}{
		"room":                               {free: 300 * mi, size: 5 * gi},
		"the reserve is touched":             {free: 250 * mi, size: 5 * gi, want: true},
		"it stays full on the edge":          {free: 300 * mi, size: 5 * gi, before: true, want: true},
		"there is room again":                {free: 400 * mi, size: 5 * gi, before: true},
		"a large volume reserves little":     {free: 2 * gi, size: 400 * gi},
		"but something":                      {free: gi - 1, size: 400 * gi, want: true},
		"a folder of an unknown file system": {},
	} {
		if got := full(c.free, c.size, c.before); got != c.want {
			t.Errorf("%s: full is %t", name, got)
		}
	}
}

func TestSpaceIsThatOfTheVolume(t *testing.T) {
	dir := t.TempDir()
	v, err := OpenVolume(dir)
	if err != nil {
		t.Fatal(err)
	}
	free, size, err := v.space()
	if err != nil || size == 0 || free > size {
		t.Errorf("%d of %d bytes are free, %v", free, size, err)
	}
	if err := os.RemoveAll(dir); err != nil {
		t.Fatal(err)
	}
	if _, _, err := v.space(); err == nil {
		t.Error("a volume that is not there has room")
	}
}
