// Package sbom lists what is in an image as an SPDX document.
package sbom

import (
	"cmp"
	"debug/buildinfo"
	"fmt"
	"runtime/debug"
	"slices"
	"strings"

	"stackwright.dev/stackwright/internal/image/apt"
	"stackwright.dev/stackwright/internal/version"
)

// Component is one thing that an image holds.
type Component struct {
	Name    string
	Version string
	// Arch is the architecture of a Debian package.
	Arch string
	// Source is the source package or the program that brings the component.
	Source string
	// Supplier is who made it, for people.
	Supplier string
	// SHA256 of the package's file.
	SHA256 string
	// URL is the package URL, which identifies the component for machines.
	URL string
}

// Contents is all that is in an image.
type Contents struct {
	Components []Component
}

// Version returns the version of the named component; without a name that of the first.
func (c *Contents) Version(name string) string {
	for _, component := range c.Components {
		if component.Name == name || name == "" {
			return component.Version
		}
	}
	return ""
}

// AddPackages adds what dpkg's status lists as installed, or of that only the named packages. The checksums of the
// packages' files are by name.
func (c *Contents) AddPackages(status, codename string, sums map[string]string, only ...string) {
	for _, stanza := range apt.ParseStanzas(status) {
		name, version, arch := stanza.Get("Package"), stanza.Get("Version"), stanza.Get("Architecture")
		if !strings.HasSuffix(stanza.Get("Status"), " installed") || len(only) > 0 && !slices.Contains(only, name) {
			continue
		}
		source, _, _ := strings.Cut(stanza.Get("Source"), " ")
		c.Components = append(c.Components, Component{Name: name, Version: version, Arch: arch,
			Source: cmp.Or(source, name), Supplier: stanza.Get("Maintainer"), SHA256: sums[name],
			URL: fmt.Sprintf("pkg:deb/debian/%s@%s?arch=%s&distro=%s", escape(name), escape(version), arch, codename)})
	}
}

// AddProgram adds a Go program and the modules that it was built from.
func (c *Contents) AddProgram(file string) error {
	info, err := buildinfo.ReadFile(file)
	if err != nil {
		return fmt.Errorf("reading what program %s is made of: %w", file, err)
	}
	c.addModules(info)
	return nil
}

func (c *Contents) addModules(info *debug.BuildInfo) {
	program := info.Path
	c.Components = append(c.Components, module(info.Main.Path, version.Of(info), program),
		module("stdlib", strings.TrimPrefix(info.GoVersion, "go"), program))
	for _, dependency := range info.Deps {
		// A replacement without a version is a folder, which tells nobody anything.
		if dependency.Replace != nil && dependency.Replace.Version != "" {
			dependency = dependency.Replace
		}
		c.Components = append(c.Components, module(dependency.Path, dependency.Version, program))
	}
}

func module(path, version, program string) Component {
	return Component{Name: path, Version: version, Source: program,
		URL: strings.TrimSuffix("pkg:golang/"+strings.ToLower(path)+"@"+escape(version), "@")}
}

// escape makes a part of a package URL.
func escape(text string) string {
	return strings.NewReplacer("%", "%25", ":", "%3A", "+", "%2B", "~", "~").Replace(text)
}
