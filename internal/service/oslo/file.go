// Package oslo is the configuration of OpenStack services: files in the format of oslo.config, and the check that what
// a person asks for is something that the release knows.
package oslo

import (
	"bytes"
	"fmt"
	"maps"
	"slices"
	"strings"
)

// Default is the section of options without one.
const Default = "DEFAULT"

// File is a configuration file: section, option, values. An option has several values when it is given several times.
type File struct {
	sections map[string]map[string][]string
}

// Set gives an option its values in place of those it had.
func (f *File) Set(section, option string, values ...any) {
	texts := make([]string, len(values))
	for i, v := range values {
		texts[i] = fmt.Sprint(v)
	}
	f.put(section, option, texts)
}

func (f *File) put(section, option string, texts []string) {
	if f.sections == nil {
		f.sections = map[string]map[string][]string{}
	}
	if f.sections[section] == nil {
		f.sections[section] = map[string][]string{}
	}
	f.sections[section][option] = texts
}

// add gives an option one more value.
func (f *File) add(section, option, text string) {
	f.put(section, option, append(f.Values(section, option), text))
}

// Drop takes an option out.
func (f *File) Drop(section, option string) { delete(f.sections[section], option) }

// Values returns the values of an option; none when it is not set.
func (f *File) Values(section, option string) []string { return f.sections[section][option] }

// Value returns the last value of an option, and whether there is one.
func (f *File) Value(section, option string) (string, bool) {
	values := f.Values(section, option)
	if len(values) == 0 {
		return "", false
	}
	return values[len(values)-1], true
}

// Sections lists the sections in the order of the file: DEFAULT first, then by name.
func (f *File) Sections() []string {
	return slices.SortedFunc(maps.Keys(f.sections), func(a, b string) int {
		switch {
		case a == b:
			return 0
		case a == Default:
			return -1
		case b == Default:
			return 1
		}
		return strings.Compare(a, b)
	})
}

// Options lists the options that a section sets, by name.
func (f *File) Options(section string) []string { return slices.Sorted(maps.Keys(f.sections[section])) }

// Only returns a file with the named sections alone.
func (f *File) Only(sections ...string) *File {
	only := &File{}
	for _, section := range sections {
		for _, option := range f.Options(section) {
			only.put(section, option, f.Values(section, option))
		}
	}
	return only
}

// Clone returns a copy.
func (f *File) Clone() *File { return f.Only(f.Sections()...) }

// Bytes returns the text of the file. Two equal files have equal texts.
func (f *File) Bytes() []byte {
	var b bytes.Buffer
	for i, section := range f.Sections() {
		if i > 0 {
			b.WriteByte('\n')
		}
		fmt.Fprintf(&b, "[%s]\n", section)
		for _, option := range f.Options(section) {
			for _, value := range f.Values(section, option) {
				fmt.Fprintf(&b, "%s = %s\n", option, quote(value))
			}
		}
	}
	return b.Bytes()
}

var oneLineEnd = strings.NewReplacer("\r\n", "\n", "\r", "\n")

// quote protects what oslo.config would take away: blanks around the first line of a value and one pair of quotes. The
// lines after the first one are indented, which is how the format continues a value.
func quote(value string) string {
	first, rest, more := strings.Cut(oneLineEnd.Replace(value), "\n")
	if first != strings.TrimSpace(first) || first != unquote(first) {
		first = `"` + first + `"`
	}
	if !more {
		return first
	}
	return first + "\n    " + strings.ReplaceAll(rest, "\n", "\n    ")
}

// Literal is a text that oslo.config shall not search for names of options to replace, such as a password.
func Literal(text string) string { return strings.ReplaceAll(text, "$", "$$") }
