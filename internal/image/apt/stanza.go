package apt

import "strings"

// Stanza is one paragraph of a Debian control file.
type Stanza struct {
	text string
}

// ParseStanzas splits a control file.
func ParseStanzas(text string) []Stanza {
	var stanzas []Stanza
	for part := range strings.SplitSeq(text, "\n\n") {
		if part = strings.Trim(part, "\n"); part != "" {
			stanzas = append(stanzas, Stanza{text: part + "\n"})
		}
	}
	return stanzas
}

// Get returns a field's first line.
func (s Stanza) Get(field string) string {
	for line := range strings.Lines(s.text) {
		if name, value, ok := strings.Cut(line, ":"); ok && name == field {
			return strings.TrimSpace(value)
		}
	}
	return ""
}

// With returns the stanza with a one-line field set to another value.
func (s Stanza) With(field, value string) Stanza {
	var b strings.Builder
	for line := range strings.Lines(s.text) {
		if !strings.HasPrefix(line, field+":") {
			b.WriteString(line)
		}
	}
	return Stanza{text: b.String() + field + ": " + value + "\n"}
}

// String is the stanza's text, ending in a newline.
func (s Stanza) String() string { return s.text }
