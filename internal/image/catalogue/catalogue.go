// Package catalogue is what is known about the configuration options of a service: names, types, choices and
// limits, as the service's own code declares them to oslo.config.
package catalogue

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io/fs"
	"maps"
	"path"
	"slices"
)

// Catalogue holds the options of one service of one release.
type Catalogue struct {
	Release string `json:"release"`
	Service string `json:"service"`
	// Groups by name; the group of options without one is DEFAULT.
	Groups map[string]Group `json:"groups"`
}

// Group is a section of the configuration file.
type Group struct {
	// DriverOption names the option that selects a driver, for a group whose options depend on the driver.
	DriverOption string `json:"driverOption,omitempty"`
	// DynamicOwner names the option that lists further sections with the same options as this one.
	DynamicOwner string `json:"dynamicOwner,omitempty"`
	// Options by the name that the configuration file uses.
	Options map[string]Option `json:"options"`
}

// Option is one configuration option.
type Option struct {
	Type
	// Multi says that the option may be given several times.
	Multi bool `json:"multi,omitempty"`
	// Default is absent when the option has none, or one that depends on the machine.
	Default  any  `json:"default,omitempty"`
	Required bool `json:"required,omitempty"`
	Secret   bool `json:"secret,omitempty"`
	// Mutable says that the service takes a new value without a restart.
	Mutable bool `json:"mutable,omitempty"`
	// Removal says that the option itself is deprecated.
	Removal bool `json:"removal,omitempty"`
	// Deprecated are former names that still work.
	Deprecated []Name `json:"deprecated,omitempty"`
}

// Name is a former name of an option.
type Name struct {
	Group string `json:"group"`
	Name  string `json:"name"`
}

// Kinds of values.
const (
	KindString     = "string"
	KindBoolean    = "boolean"
	KindInteger    = "integer"
	KindFloat      = "float"
	KindPort       = "port"
	KindList       = "list"
	KindDict       = "dict"
	KindRange      = "range"
	KindIPAddress  = "ipAddress"
	KindHost       = "hostAddress"
	KindHostname   = "hostname"
	KindHostDomain = "hostDomain"
	KindURI        = "uri"
	// KindOther is a type of the service's own, of which nothing is known.
	KindOther = "other"
)

// Type says which values are right.
type Type struct {
	Kind string `json:"type"`
	// Choices, when there are any, are all the values.
	Choices []any `json:"choices,omitempty"`
	// IgnoreCase is for choices and patterns.
	IgnoreCase bool `json:"ignoreCase,omitempty"`
	// Min and Max limit numbers.
	Min json.Number `json:"min,omitempty"`
	Max json.Number `json:"max,omitempty"`
	// MaxLength and Regex limit strings; the pattern is Python's.
	MaxLength int    `json:"maxLength,omitempty"`
	Regex     string `json:"regex,omitempty"`
	// Schemes limit URIs, Version (4 or 6) IP addresses.
	Schemes []string `json:"schemes,omitempty"`
	Version int      `json:"version,omitempty"`
	// Items is the type of a list's or dict's values, Bounds that they are in brackets.
	Items  *Type `json:"items,omitempty"`
	Bounds bool  `json:"bounds,omitempty"`
}

// Parse reads a catalogue.
func Parse(data []byte) (*Catalogue, error) {
	decoder := json.NewDecoder(bytes.NewReader(data))
	decoder.UseNumber()
	decoder.DisallowUnknownFields()
	c := &Catalogue{}
	if err := decoder.Decode(c); err != nil {
		return nil, fmt.Errorf("reading a catalogue of options: %w", err)
	}
	return c, nil
}

// Path is where a folder of releases keeps a service's catalogue.
func Path(release, service string) string { return path.Join(release, "options", service+".json") }

// Load reads a service's catalogue from a folder of releases.
func Load(releases fs.FS, release, service string) (*Catalogue, error) {
	data, err := fs.ReadFile(releases, Path(release, service))
	if err != nil {
		return nil, fmt.Errorf("release %s has no catalogue of the options of %s: %w", release, service, err)
	}
	return Parse(data)
}

// Encode writes the catalogue with one option a line, so that a change can be read as a difference of lines.
func (c *Catalogue) Encode() ([]byte, error) {
	var b bytes.Buffer
	fmt.Fprintf(&b, "{\n\"release\": %q,\n\"service\": %q,\n\"groups\": {\n", c.Release, c.Service)
	groups := slices.Sorted(maps.Keys(c.Groups))
	for i, name := range groups {
		group := c.Groups[name]
		fmt.Fprintf(&b, "%q: {", name)
		if group.DriverOption != "" {
			fmt.Fprintf(&b, "\"driverOption\": %q, ", group.DriverOption)
		}
		if group.DynamicOwner != "" {
			fmt.Fprintf(&b, "\"dynamicOwner\": %q, ", group.DynamicOwner)
		}
		b.WriteString("\"options\": {\n")
		if err := group.encode(&b); err != nil {
			return nil, fmt.Errorf("writing group %s: %w", name, err)
		}
		b.WriteString("}}" + comma(i, len(groups)) + "\n")
	}
	b.WriteString("}\n}\n")
	return b.Bytes(), nil
}

func (g Group) encode(b *bytes.Buffer) error {
	names := slices.Sorted(maps.Keys(g.Options))
	for i, name := range names {
		option, err := json.Marshal(g.Options[name])
		if err != nil {
			return fmt.Errorf("writing option %s: %w", name, err)
		}
		fmt.Fprintf(b, " %q: %s%s\n", name, option, comma(i, len(names)))
	}
	return nil
}

func comma(i, length int) string {
	if i == length-1 {
		return ""
	}
	return ","
}
