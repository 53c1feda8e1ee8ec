package mariadb

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// What mariadbd of Debian says of itself.
func TestVersion(t *testing.T) {
	dir := t.TempDir()
	t.Setenv("PATH", dir+":/bin:/usr/bin")
	for said, want := range map[string]string{
		"mariadbd  Ver 11.8.3-MariaDB-0+deb13u1 from Debian for debian-linux-gnu on x86_64 (-- Please help)": "11.8.3",
		"cannot open shared object file": "",
	} {
		script := "#!/bin/sh\necho '" + said + "'\n"
		if err := os.WriteFile(filepath.Join(dir, "mariadbd"), []byte(script), 0o700); err != nil {
			t.Fatal(err)
		}
		c := Config{}
		got, err := c.version(t.Context())
		if got != want || (err == nil) != (want != "") {
			t.Errorf("%q is version %q: %v", said, got, err)
		}
		if want == "" && !strings.Contains(err.Error(), said) {
			t.Errorf("the error does not tell what it said: %v", err)
		}
	}
}

func TestUnfit(t *testing.T) {
	if why := unfit("11.8.3", Memo{}); why != "" {
		t.Errorf("a new volume: %s", why)
	}
	if why := unfit("11.8.3", Memo{Version: "11.8.9"}); why != "" {
		t.Errorf("a patch back: %s", why)
	}
	const want = "MariaDB 12.3.1 has served the data on this volume and the image has 11.8.3, which is not made to read " +
		"it; set an image with 12.3.1 or newer."
	if why := unfit("11.8.3", Memo{Version: "12.3.1"}); why != want {
		t.Errorf("it says\n%s, want\n%s", why, want)
	}
}
