// Package version tells which build of Stackwright this is.
package version

import (
	"cmp"
	"fmt"
	"runtime"
	"runtime/debug"
	"strings"
)

// Build tells which build of Stackwright this is.
type Build struct {
	// Version is the module's version, or devel.
	Version string `json:"version"`
	// Commit is the revision of the source, with a plus when the tree had changes.
	Commit string `json:"commit,omitempty"`
	// Go is the version of the compiler.
	Go string `json:"go"`
	// Platform is operating system and architecture.
	Platform string `json:"platform"`
}

// Info reads the build from what the linker noted in the executable.
func Info() Build {
	b := Build{Version: devel, Go: runtime.Version(), Platform: runtime.GOOS + "/" + runtime.GOARCH}
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return b
	}
	b.Version = Of(info)
	for _, s := range info.Settings {
		switch {
		case s.Key == "vcs.revision":
			b.Commit = s.Value + b.Commit
		case s.Key == "vcs.modified" && s.Value == "true":
			b.Commit += "+"
		}
	}
	return b
}

// devel is the version of what was built without version control.
const devel = "devel"

// Of is the version of a program by what the linker noted in it.
func Of(info *debug.BuildInfo) string {
	if v := info.Main.Version; v != "(devel)" {
		return cmp.Or(v, devel)
	}
	return devel
}

// String is the build of this program in one line.
func String() string { return Info().String() }

// String is a build in one line. One that was made without version control knows no commit.
func (b Build) String() string {
	about := []string{b.Go, b.Platform}
	if b.Commit != "" {
		about = append([]string{"commit " + b.Commit}, about...)
	}
	return fmt.Sprintf("stackwright %s (%s)", b.Version, strings.Join(about, ", "))
}
