package apt

import (
	"context"
	"os/exec"
	"regexp"
	"strings"

	"stackwright.dev/stackwright/internal/image/spec"
)

// Canonical mirrors. They are what an image's own sources name, whatever mirror it was built from.
const (
	CanonicalMain     = "http://deb.debian.org/debian"
	CanonicalSecurity = "http://deb.debian.org/debian-security"
)

// What mirrors' addresses end in. Those of snapshots add a time.
var (
	mainMirror     = regexp.MustCompile(`/debian(/\d{8}T\d{6}Z)?$`)
	securityMirror = regexp.MustCompile(`/debian-security(/\d{8}T\d{6}Z)?$`)
)

// Mirrors are where the archive is read from.
type Mirrors struct {
	Main, Security string
}

func (m Mirrors) uri(mirror string) string {
	if mirror == spec.MirrorSecurity {
		return m.Security
	}
	return m.Main
}

// Sources is the content of sources.list inside an image.
func Sources(release *spec.Release) string {
	mirrors := Mirrors{Main: CanonicalMain, Security: CanonicalSecurity}
	var b strings.Builder
	for _, suite := range release.Suites {
		b.WriteString("deb " + mirrors.uri(suite.Mirror) + " " + suite.Name + " " +
			strings.Join(release.Components, " ") + "\n")
	}
	return b.String()
}

// hostMirrors takes the mirrors that the machine itself uses for Debian; any release on them will do, as a mirror
// carries all. A machine without one, or that is not Debian, uses the canonical ones.
func hostMirrors(ctx context.Context) Mirrors {
	const format = "$(CREATED_BY) $(REPO_URI) $(RELEASE)"
	out, err := exec.CommandContext(ctx, "apt-get", "indextargets", "--format", format).Output()
	if err != nil {
		return parseMirrors("")
	}
	return parseMirrors(string(out))
}

func parseMirrors(targets string) Mirrors {
	mirrors := Mirrors{Main: CanonicalMain, Security: CanonicalSecurity}
	var main, security bool
	for line := range strings.Lines(targets) {
		fields := strings.Fields(line)
		if len(fields) != 3 || fields[0] != "Packages" {
			continue
		}
		uri := strings.TrimSuffix(fields[1], "/")
		switch {
		case !security && securityMirror.MatchString(uri) && strings.HasSuffix(fields[2], "-security"):
			mirrors.Security, security = uri, true
		case !main && mainMirror.MatchString(uri) && !strings.Contains(fields[2], "-"):
			mirrors.Main, main = uri, true
		}
	}
	return mirrors
}
