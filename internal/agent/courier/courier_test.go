package courier

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"stackwright.dev/stackwright/internal/pki"
)

const server = "0a3d1f0e-7c58-4d3c-8a2b-1f6e0d9c8b7a"

// host is a courier that runs, and how Nova asks it.
type host struct {
	Config
	t    *testing.T
	nova http.Client
}

// start runs a courier at an address of this machine's loopback, with a certificate of an authority.
func start(t *testing.T, ca pki.Pair, address string, port int) *host {
	t.Helper()
	h := &host{Config: Config{Folder: t.TempDir(), Socket: filepath.Join(t.TempDir(), "socket"), Address: address,
		Port: port, TLS: t.TempDir()}, t: t}
	p, err := pki.Issue(ca, pki.Request{CommonName: "hosts", Names: []string{"127.0.0.1", "127.0.0.2"}}, time.Now())
	if err != nil {
		t.Fatal(err)
	}
	for name, content := range map[string][]byte{"ca.crt": p.CA, "server.crt": p.Cert, "server.key": p.Key} {
		if err := os.WriteFile(filepath.Join(h.TLS, name), content, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	h.nova.Transport = &http.Transport{DisableKeepAlives: true, DialContext: func(ctx context.Context, _, _ string) (
		net.Conn, error) {
		return (&net.Dialer{}).DialContext(ctx, "unix", h.Socket)
	}}
	ctx, stop := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() { ended <- h.serve(ctx) }()
	t.Cleanup(func() {
		stop()
		if err := <-ended; err != nil {
			t.Error(err)
		}
	})
	for {
		if _, err := os.Stat(h.Socket); err == nil {
			return h
		}
		select {
		case err := <-ended:
			t.Fatal(err)
		case <-time.After(5 * time.Millisecond):
		}
	}
}

func authority(t *testing.T) pki.Pair {
	t.Helper()
	ca, err := pki.NewCA("hosts", time.Now())
	if err != nil {
		t.Fatal(err)
	}
	return ca
}

// pair are two hosts that know each other.
func pair(t *testing.T) (from, to *host) {
	t.Helper()
	ca, port := authority(t), free(t)
	return start(t, ca, "127.0.0.1", port), start(t, ca, "127.0.0.2", port)
}

// free is a port that nobody has at either address.
func free(t *testing.T) int {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	return l.Addr().(*net.TCPAddr).Port
}

// ask has Nova ask its courier; source may be empty.
func (h *host) ask(order, other, path, source string) error {
	h.t.Helper()
	q := url.Values{"host": {other}, "path": {path}}
	if source != "" {
		q.Set("source", source)
	}
	res, err := h.nova.Post("http://courier/"+order+"?"+q.Encode(), "", nil)
	if err != nil {
		h.t.Fatal(err)
	}
	defer res.Body.Close()
	said, err := io.ReadAll(res.Body)
	if err == nil && res.StatusCode != http.StatusOK {
		err = errors.New(strings.TrimSpace(string(said)))
	}
	return err
}

func (h *host) path(elements ...string) string {
	return filepath.Join(append([]string{h.Folder, server}, elements...)...)
}

// What Nova does when a server moves: it looks whether the folder is the same on both hosts, makes it on the other one,
// and brings what the server has, of which zeros take no room. If that fails it takes it back.
func TestAServerMoves(t *testing.T) {
	from, to := pair(t)
	if err := os.MkdirAll(from.path(), 0o755); err != nil {
		t.Fatal(err)
	}
	disk := make([]byte, 40*blockSize+5)
	copy(disk[3*blockSize:], "a disk")
	disk[len(disk)-1] = 1
	for name, content := range map[string][]byte{"disk": disk, "disk.info": []byte("{}"), "empty": nil} {
		if err := os.WriteFile(from.path(name), content, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	ask := func(order, name, source string) {
		t.Helper()
		if source != "" {
			source = from.path(source)
		}
		if err := from.ask(order, "127.0.0.2", from.path(name), source); err != nil {
			t.Fatalf("%s %s: %v", order, name, err)
		}
	}
	if err := from.ask("make-file", "127.0.0.2", from.path("a.tmp"), ""); err == nil {
		t.Error("a file was made in a folder that is not there: Nova would take it for the same on both hosts")
	}
	ask("make-folder", "", "")
	ask("make-folder", "", "")
	ask("make-file", "a.tmp", "")
	if _, err := os.Stat(to.path("a.tmp")); err != nil {
		t.Error(err)
	}
	ask("remove-file", "a.tmp", "")
	for _, name := range []string{"disk", "disk.info", "empty", "disk"} {
		ask("carry", name, name)
	}
	got, err := os.ReadFile(to.path("disk"))
	if err != nil || !bytes.Equal(got, disk) {
		t.Errorf("the disk is another one: %d bytes, %v", len(got), err)
	}
	info, err := os.Stat(to.path("disk"))
	if err != nil {
		t.Fatal(err)
	}
	if used := info.Sys().(*syscall.Stat_t).Blocks * 512; used > 8*blockSize {
		t.Errorf("a disk that is mostly zeros takes %d bytes of %d", used, len(disk))
	}
	files, err := os.ReadDir(to.path())
	if err != nil || len(files) != 3 {
		t.Errorf("there are %v, %v; want the disk, what is known of it, and an empty file", files, err)
	}
	ask("remove-folder", "", "")
	if _, err := os.Stat(to.path()); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("the folder is there still: %v", err)
	}
}

// Orders about anything but folders of servers are refused, by the courier of the host and by the other one.
func TestNothingElseIsTouched(t *testing.T) {
	from, to := pair(t)
	if err := os.MkdirAll(to.path(), 0o755); err != nil {
		t.Fatal(err)
	}
	outside := filepath.Join(t.TempDir(), "outside")
	if err := os.WriteFile(outside, []byte("mine"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(filepath.Dir(outside), to.path("link")); err != nil {
		t.Fatal(err)
	}
	for path, order := range map[string]string{
		from.Folder: "remove-folder", outside: "remove-file", from.path("..", "_base"): "remove-folder",
		from.path("..", "..", "a"): "make-folder", from.path("link", "outside"): "remove-file",
	} {
		if err := from.ask(order, "127.0.0.2", path, ""); err == nil {
			t.Errorf("%s %s was done", order, path)
		}
	}
	if err := from.ask("carry", "127.0.0.2", from.path("a"), outside); err == nil {
		t.Error("a file that is not a server's was carried")
	}
	c := desk{config: from.Config, certificates: nil}
	for _, name := range []string{"", "..", "../" + server, "_base/a", "0a3d1f0e"} {
		if folder.MatchString(name) {
			t.Errorf("%q is taken for a folder of a server", name)
		}
		if _, err := c.relative(filepath.Join(from.Folder, name)); err == nil {
			t.Errorf("%q is asked for", name)
		}
	}
	if got, err := os.ReadFile(outside); err != nil || string(got) != "mine" {
		t.Errorf("outside is %q, %v", got, err)
	}
}

// A host with a certificate of another authority is told nothing.
func TestStrangersAreRefused(t *testing.T) {
	port := free(t)
	from, to := start(t, authority(t), "127.0.0.1", port), start(t, authority(t), "127.0.0.2", port)
	if err := from.ask("make-folder", "127.0.0.2", from.path(), ""); err == nil {
		t.Error("a host did what a stranger asked for")
	}
	if _, err := os.Stat(to.path()); err == nil {
		t.Error("a stranger's folder is there")
	}
}

// A file that did not come in full is not there.
func TestHalfAFileIsNone(t *testing.T) {
	root, err := os.OpenRoot(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = root.Close() }()
	s := shelf{root}
	for name, from := range map[string]io.Reader{"short": strings.NewReader("half"),
		"broken": io.MultiReader(strings.NewReader("half"), broken{})} {
		if err := s.put(name, from, 8); err == nil {
			t.Errorf("%s: half a file is taken for one", name)
		}
	}
	if files, err := fs.ReadDir(root.FS(), "."); err != nil || len(files) > 0 {
		t.Errorf("there are %v, %v", files, err)
	}
	if err := s.put("whole", strings.NewReader("complete"), 8); err != nil {
		t.Error(err)
	}
}

type broken struct{}

// Read fails.
func (broken) Read([]byte) (int, error) { return 0, fmt.Errorf("the line is dead") }
