package intake

import (
	"crypto/sha256"
	"encoding/hex"
	"strings"

	"stackwright.dev/stackwright/internal/resources"
	"stackwright.dev/stackwright/internal/resources/body"
)

// maxName leaves room for a digest in a name of 63 characters.
const maxName = 52

// namer gives the objects of one kind their names: that of the resource where it can be, and else with a digest of what
// tells the resource apart. The same resources get the same names in any order.
type namer struct {
	kind  string
	taken map[string]bool
	wish  map[string]int
}

// newNamer knows the names that objects have already.
func newNamer(kind string, taken []string) *namer {
	n := &namer{kind: strings.ToLower(kind), taken: map[string]bool{}, wish: map[string]int{}}
	for _, name := range taken {
		n.taken[name] = true
	}
	return n
}

// hope tells of a name that somebody will ask for.
func (n *namer) hope(label string) { n.wish[slug(label)]++ }

// name is that of the resource with this label and identity.
func (n *namer) name(label, identity string) string {
	s := slug(label)
	if s != "" && n.wish[s] == 1 && !n.taken[s] {
		n.taken[s] = true
		return s
	}
	if s == "" {
		s = n.kind
	}
	sum := sha256.Sum256([]byte(n.kind + "\x00" + identity))
	digest := hex.EncodeToString(sum[:])
	for size := 8; ; size++ {
		if name := s + "-" + digest[:size]; !n.taken[name] || size == len(digest) {
			n.taken[name] = true
			return name
		}
	}
}

// slug is a label as a part of a name: small letters, digits and dashes in between.
func slug(label string) string {
	var b strings.Builder
	for _, c := range strings.ToLower(label) {
		switch {
		case b.Len() >= maxName:
		case c >= 'a' && c <= 'z', c >= '0' && c <= '9':
			b.WriteRune(c)
		case b.Len() > 0 && !strings.HasSuffix(b.String(), "-"):
			b.WriteByte('-')
		}
	}
	return strings.Trim(b.String(), "-")
}

// label is what people call a resource: its name, or else what tells it apart.
func (p *planner) label(f resources.Found) string {
	if name := NameOf(f); name != "" {
		return name
	}
	var parts []string
	for _, api := range f.Kind.Key {
		field, _ := f.Kind.Field(api)
		if v := body.Actual(field, f.Fields); !field.WriteOnly && !empty(v) {
			parts = append(parts, p.part(kindOf(field, f.Kind.Fields, f.Fields), text(v)))
		}
	}
	if len(parts) == 0 {
		return f.ID
	}
	return strings.Join(parts, "-")
}

// part is a word for a value of a key; what has a name goes by it, and other ids are cut.
func (p *planner) part(kind, value string) string {
	if name := p.names[place{kind, "", value}]; name != "" {
		return name
	}
	if kind != "" && len(value) > 8 {
		return value[:8]
	}
	return value
}

// NameOf is the name of a resource in OpenStack, when its kind has names.
func NameOf(f resources.Found) string {
	for _, field := range f.Kind.Fields {
		if field.Named {
			return text(body.Actual(field, f.Fields))
		}
	}
	return ""
}
