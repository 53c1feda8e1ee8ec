// Package apt asks Debian's archive through the machine's own apt, in a state directory of its own: which versions
// a set of packages resolves to, and the files. The machine's packages and indexes are not touched; its proxy
// settings and mirror are used.
package apt

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"time"

	"stackwright.dev/stackwright/internal/image/spec"
)

// keyring signs the archive; package debian-archive-keyring brings it.
const keyring = "/usr/share/keyrings/debian-archive-keyring.gpg"

// settings keep apt inside DIR. The machine's own hooks are cleared: they would empty its caches. Caches are set as
// container images of Debian switch them off, and without them every call reads all indexes.
const settings = `#clear APT::Update::Pre-Invoke;
#clear APT::Update::Post-Invoke;
#clear APT::Update::Post-Invoke-Success;
#clear DPkg;
Dir::State "DIR";
Dir::State::lists "DIR/lists";
Dir::State::status "DIR/status";
Dir::Cache "DIR/cache";
Dir::Cache::pkgcache "pkgcache.bin";
Dir::Cache::srcpkgcache "srcpkgcache.bin";
Dir::Etc::sourcelist "DIR/sources.list";
Dir::Etc::sourceparts "DIR/none";
Dir::Etc::preferences "DIR/none/preferences";
Dir::Etc::preferencesparts "DIR/none";
APT::Architecture "ARCH";
APT::Architectures { "ARCH"; };
APT::Install-Recommends "false";
APT::Install-Suggests "false";
APT::Sandbox::User "root";
APT::Get::AllowUnauthenticated "false";
Acquire::Languages "none";
Acquire::GzipIndexes "false";
Acquire::Retries "3";
`

// Archive is a view of Debian's archive for one release.
type Archive struct {
	dir     string
	release *spec.Release
	mirrors Mirrors
}

// Open prepares the state directory dir for a release.
func Open(ctx context.Context, dir string, release *spec.Release) (*Archive, error) {
	a := &Archive{dir: dir, release: release, mirrors: hostMirrors(ctx)}
	for _, sub := range []string{"lists/partial", "cache/archives/partial", "none"} {
		if err := os.MkdirAll(filepath.Join(dir, sub), 0o755); err != nil {
			return nil, fmt.Errorf("making apt's state: %w", err)
		}
	}
	conf := strings.NewReplacer("DIR", dir, "ARCH", Architecture()).Replace(settings)
	for name, content := range map[string]string{"apt.conf": conf, "sources.list": a.sources(), "status": ""} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(content), 0o644); err != nil {
			return nil, fmt.Errorf("making apt's state: %w", err)
		}
	}
	return a, nil
}

// Architecture is Debian's name for the machine's architecture.
func Architecture() string {
	if runtime.GOARCH == "386" {
		return "i386"
	}
	return runtime.GOARCH
}

func (a *Archive) sources() string {
	var b strings.Builder
	for _, suite := range a.release.Suites {
		fmt.Fprintf(&b, "deb [arch=%s target=Packages signed-by=%s] %s %s %s\n", Architecture(), keyring,
			a.mirrors.uri(suite.Mirror), suite.Name, strings.Join(a.release.Components, " "))
	}
	return b.String()
}

// Update fetches the package indexes unless those at hand are younger than maxAge.
func (a *Archive) Update(ctx context.Context, maxAge time.Duration) error {
	stamp := filepath.Join(a.dir, "updated")
	want := a.sources()
	if info, err := os.Stat(stamp); err == nil && time.Since(info.ModTime()) < maxAge {
		if had, err := os.ReadFile(stamp); err == nil && string(had) == want {
			return nil
		}
	}
	if _, err := a.run(ctx, "", "apt-get", "update", "-q", "--error-on=any"); err != nil {
		return fmt.Errorf("fetching package indexes: %w", err)
	}
	if err := os.WriteFile(stamp, []byte(want), 0o644); err != nil {
		return fmt.Errorf("fetching package indexes: %w", err)
	}
	return nil
}

// run executes one of apt's programs in directory dir and returns its output.
func (a *Archive) run(ctx context.Context, dir, name string, args ...string) (string, error) {
	cmd := exec.CommandContext(ctx, name, append([]string{"-c", filepath.Join(a.dir, "apt.conf")}, args...)...)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "LC_ALL=C.UTF-8", "DEBIAN_FRONTEND=noninteractive")
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	if err := cmd.Run(); err != nil {
		if ctx.Err() != nil {
			return "", ctx.Err()
		}
		return "", &Error{Command: name + " " + args[0], Output: stderr.String(), cause: err}
	}
	return stdout.String(), nil
}

// Error is a failed call of apt with what it said.
type Error struct {
	// Command is the program and its verb.
	Command string
	// Output is what it wrote as errors.
	Output string
	cause  error
}

// Error names the command and what it complained about.
func (e *Error) Error() string {
	var said []string
	for line := range strings.Lines(e.Output) {
		if rest, ok := strings.CutPrefix(line, "E: "); ok {
			said = append(said, strings.TrimSpace(rest))
		}
	}
	if len(said) == 0 {
		return fmt.Sprintf("%s: %v: %s", e.Command, e.cause, strings.TrimSpace(e.Output))
	}
	return fmt.Sprintf("%s: %s", e.Command, strings.Join(said, "; "))
}

// Unwrap gives the cause, such as a missing program.
func (e *Error) Unwrap() error { return e.cause }

// Sum is the checksum of the package indexes at hand.
func (a *Archive) Sum() (string, error) {
	files, err := filepath.Glob(filepath.Join(a.dir, "lists", "*_InRelease"))
	if err != nil {
		return "", fmt.Errorf("reading package indexes: %w", err)
	}
	hash := sha256.New()
	for _, file := range files {
		data, err := os.ReadFile(file)
		if err != nil {
			return "", fmt.Errorf("reading package indexes: %w", err)
		}
		hash.Write(data)
	}
	return hex.EncodeToString(hash.Sum(nil)), nil
}
