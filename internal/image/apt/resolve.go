package apt

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
)

// Package is one exact package.
type Package struct {
	Name    string `json:"name"`
	Version string `json:"version"`
	Arch    string `json:"arch"`
	SHA256  string `json:"sha256"`
}

// FileName is what apt calls the package's file.
func (p Package) FileName() string {
	return p.Name + "_" + strings.ReplaceAll(p.Version, ":", "%3a") + "_" + p.Arch + ".deb"
}

func (p Package) pin() string { return p.Name + ":" + p.Arch + "=" + p.Version }

// Set is a resolved set of packages, sorted by name, with their stanzas from the package index.
type Set struct {
	Packages []Package
	Stanzas  []Stanza
}

// essential stands for what every Debian system must have, and apt.
var essential = []string{"?essential", "apt"}

var (
	installed = regexp.MustCompile(`(?m)^Inst (\S+) (?:\[[^\]]*\] )?\((\S+) .*\[([a-z0-9]+)\]\)`)
	removed   = regexp.MustCompile(`(?m)^Remv (\S+)`)
	notFound  = regexp.MustCompile(`Unable to locate package (\S+)|Package '?([^' ]+)'? has no installation candidate`)
)

// NotFoundError names packages that the archive does not have.
type NotFoundError struct {
	Packages []string
	Suites   []string
}

// Error says which packages are missing where.
func (e *NotFoundError) Error() string {
	return fmt.Sprintf("package not found in %s: %s: correct the name, or run with --refresh if it is new",
		strings.Join(e.Suites, ", "), strings.Join(e.Packages, ", "))
}

// Resolve finds what installing names on top of below adds. With bootstrap the essential packages are added, below
// being empty.
func (a *Archive) Resolve(ctx context.Context, below []Stanza, names []string, bootstrap bool) (Set, error) {
	if bootstrap {
		names = append(slices.Clone(essential), names...)
	}
	if len(names) == 0 {
		return Set{}, nil
	}
	if err := a.writeStatus(below); err != nil {
		return Set{}, err
	}
	out, err := a.run(ctx, "", "apt-get", append([]string{"install", "-s", "-q"}, names...)...)
	if err != nil {
		return Set{}, a.explain(err)
	}
	pins, err := parseSimulation(out)
	if err != nil {
		return Set{}, fmt.Errorf("installing %s: %w", strings.Join(names, " "), err)
	}
	return a.show(ctx, pins)
}

// parseSimulation reads from apt's output what it would install, as arguments for apt.
func parseSimulation(out string) ([]string, error) {
	if gone := removed.FindStringSubmatch(out); gone != nil {
		return nil, fmt.Errorf("this would remove %s, which a lower layer has", gone[1])
	}
	var pins []string
	for _, match := range installed.FindAllStringSubmatch(out, -1) {
		pins = append(pins, match[1]+":"+match[3]+"="+match[2])
	}
	return pins, nil
}

func (a *Archive) explain(err error) error {
	failed, ok := errors.AsType[*Error](err)
	if !ok {
		return err
	}
	missing := &NotFoundError{}
	for _, match := range notFound.FindAllStringSubmatch(failed.Output, -1) {
		missing.Packages = append(missing.Packages, match[1]+match[2])
	}
	if len(missing.Packages) == 0 {
		return err
	}
	for _, suite := range a.release.Suites {
		missing.Suites = append(missing.Suites, suite.Name)
	}
	return missing
}

// show reads the stanzas of exact packages from the index.
func (a *Archive) show(ctx context.Context, pins []string) (Set, error) {
	if len(pins) == 0 {
		return Set{}, nil
	}
	out, err := a.run(ctx, "", "apt-cache", append([]string{"show"}, pins...)...)
	if err != nil {
		return Set{}, fmt.Errorf("reading the package index: %w", err)
	}
	var set Set
	seen := map[string]bool{}
	for _, stanza := range ParseStanzas(out) {
		p := Package{Name: stanza.Get("Package"), Version: stanza.Get("Version"), Arch: stanza.Get("Architecture"),
			SHA256: stanza.Get("SHA256")}
		if seen[p.Name] {
			continue
		}
		seen[p.Name] = true
		set.Packages, set.Stanzas = append(set.Packages, p), append(set.Stanzas, stanza)
	}
	if len(set.Packages) != len(pins) {
		return Set{}, fmt.Errorf("reading the package index: %d packages asked, %d found", len(pins), len(set.Packages))
	}
	byName := func(a, b Package) int { return strings.Compare(a.Name, b.Name) }
	slices.SortFunc(set.Packages, byName)
	slices.SortFunc(set.Stanzas, func(a, b Stanza) int { return strings.Compare(a.Get("Package"), b.Get("Package")) })
	return set, nil
}

// Show reads the stanzas of packages that were resolved before.
func (a *Archive) Show(ctx context.Context, packages []Package) ([]Stanza, error) {
	pins := make([]string, len(packages))
	for i, p := range packages {
		pins[i] = p.pin()
	}
	set, err := a.show(ctx, pins)
	return set.Stanzas, err
}

// writeStatus makes apt believe that the given packages are installed.
func (a *Archive) writeStatus(below []Stanza) error {
	var b strings.Builder
	for _, stanza := range below {
		b.WriteString("Status: install ok installed\n")
		b.WriteString(stanza.String())
		b.WriteString("\n")
	}
	if err := os.WriteFile(filepath.Join(a.dir, "status"), []byte(b.String()), 0o644); err != nil {
		return fmt.Errorf("describing installed packages: %w", err)
	}
	return nil
}
