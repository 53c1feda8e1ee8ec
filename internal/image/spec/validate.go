package spec

import (
	"errors"
	"fmt"
	"path"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

var (
	layerName   = regexp.MustCompile(`^[a-z][a-z0-9-]{0,62}$`)
	packageName = regexp.MustCompile(`^[a-z0-9][a-z0-9+.-]+$`)
	userName    = regexp.MustCompile(`^[a-z_][a-z0-9_-]{0,30}$`)
	suiteName   = regexp.MustCompile(`^[a-z][a-z0-9./-]*$`)
	lensName    = regexp.MustCompile(`^[a-z][a-z0-9_]*$`)
)

// maxID leaves the numbers above to the kernel's and Kubernetes' own meanings.
const maxID = 65533

func (r *Release) validate() error {
	if !suiteName.MatchString(r.Codename) || len(r.Components) == 0 || len(r.Suites) == 0 {
		return fmt.Errorf("%s must set codename, components and suites", releaseFile)
	}
	for _, suite := range r.Suites {
		if suite.Mirror != MirrorMain && suite.Mirror != MirrorSecurity {
			return fmt.Errorf("suite %q must set mirror to %s or %s", suite.Name, MirrorMain, MirrorSecurity)
		}
		if !suiteName.MatchString(suite.Name) {
			return fmt.Errorf("suite %q is not a name", suite.Name)
		}
	}
	var errs []error
	for _, name := range r.All() {
		if err := r.validateLayer(r.Layers[name]); err != nil {
			errs = append(errs, fmt.Errorf("%s.yaml: %w", name, err))
		}
	}
	if len(errs) > 0 {
		return errors.Join(errs...)
	}
	return r.validateCycles()
}

func (r *Release) validateLayer(l *Layer) error {
	if !layerName.MatchString(l.Name) {
		return fmt.Errorf("%q is not a name: use lower-case letters, digits and dashes", l.Name)
	}
	for _, need := range l.Needs() {
		if r.Layers[need] == nil {
			return fmt.Errorf("there is no layer %q: the layers are %s", need, strings.Join(r.All(), ", "))
		}
	}
	if l.Parent != "" && r.Layers[l.Parent].Scratch() {
		return fmt.Errorf("parent %q has no packages, so nothing can be built on it", l.Parent)
	}
	for _, name := range l.Packages {
		if !packageName.MatchString(name) {
			return fmt.Errorf("%q is not a package name", name)
		}
	}
	for _, p := range slices.Concat(l.Empty, l.Remove, l.Sort) {
		if err := validatePath(p); err != nil {
			return err
		}
	}
	return errors.Join(l.validateUsers(), l.validateFiles(), l.validateOptions())
}

func (l *Layer) validateOptions() error {
	if l.Image == nil || l.Image.Options == nil {
		return nil
	}
	o := l.Image.Options
	if (len(o.Namespaces) > 0) == (len(o.Lenses) > 0) {
		return errors.New("image.options: set exactly one of namespaces and lenses")
	}
	for _, name := range o.Lenses {
		if !lensName.MatchString(name) {
			return fmt.Errorf("image.options: %q is not the name of a lens", name)
		}
	}
	return nil
}

func (l *Layer) validateUsers() error {
	for _, user := range l.Users {
		if !userName.MatchString(user.Name) {
			return fmt.Errorf("%q is not a user name", user.Name)
		}
		if user.UID < 1 || user.UID > maxID || user.GID < 1 || user.GID > maxID {
			return fmt.Errorf("user %s needs a uid and a gid between 1 and %d", user.Name, maxID)
		}
		if err := validatePath(user.Home); err != nil {
			return fmt.Errorf("user %s: home: %w", user.Name, err)
		}
	}
	return nil
}

func (l *Layer) validateFiles() error {
	for _, file := range l.Files {
		if err := file.validate(); err != nil {
			return fmt.Errorf("file %s: %w", file.Path, err)
		}
	}
	return nil
}

func (f File) validate() error {
	if err := validatePath(f.Path); err != nil {
		return err
	}
	if _, err := f.Perm(); err != nil {
		return err
	}
	sources := 0
	for _, source := range []string{f.Binary, f.Content, f.Layer} {
		if source != "" {
			sources++
		}
	}
	switch {
	case sources != 1:
		return errors.New("set exactly one of binary, content and layer")
	case f.Binary != "" && f.Binary != path.Base(f.Binary):
		return fmt.Errorf("binary %q must be a name without a folder", f.Binary)
	case f.Layer != "" && f.Package == "":
		return errors.New("set package to what brings it")
	case f.Layer != "":
		return validatePath(f.Source)
	}
	return nil
}

// validateCycles also checks what only makes sense once the parents are known to end somewhere.
func (r *Release) validateCycles() error {
	for _, name := range r.All() {
		if err := r.visit(name, nil); err != nil {
			return err
		}
	}
	for _, name := range r.All() {
		image := r.Layers[name].Image
		if image == nil {
			continue
		}
		if _, ok := r.User(name, image.User); !ok {
			return fmt.Errorf("%s.yaml: image.user %q is not among the users of the layer or of its parents", name, image.User)
		}
		if image.Title == "" {
			return fmt.Errorf("%s.yaml: image.title must be set", name)
		}
	}
	return nil
}

func (r *Release) visit(name string, above []string) error {
	if slices.Contains(above, name) {
		return fmt.Errorf("layers need each other: %s", strings.Join(append(above, name), " -> "))
	}
	for _, need := range r.Layers[name].Needs() {
		if err := r.visit(need, append(above, name)); err != nil {
			return err
		}
	}
	return nil
}

func validatePath(p string) error {
	if !path.IsAbs(p) || path.Clean(p) != p || p == "/" || strings.ContainsAny(p, "\n\t :") {
		return fmt.Errorf("%q must be an absolute, clean path below /", p)
	}
	return nil
}

// Perm is the file's mode.
func (f File) Perm() (uint32, error) {
	if f.Mode == "" {
		return 0o644, nil
	}
	mode, err := strconv.ParseUint(f.Mode, 8, 32)
	if err != nil || mode > 0o7777 {
		return 0, fmt.Errorf("mode %q must be octal, like \"0755\"", f.Mode)
	}
	return uint32(mode), nil
}
