package resources

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"net/url"
	"regexp"
	"strings"

	"stackwright.dev/stackwright/internal/resources/body"
	d "stackwright.dev/stackwright/internal/resources/descriptor"
)

// hole matches the parts of a path that a field fills.
var hole = regexp.MustCompile(`\{([^}]+)\}`)

// fill puts values into the holes of a path. missing is the API name of the first field that has none.
func fill(path string, values map[string]any) (filled, missing string) {
	filled = hole.ReplaceAllStringFunc(path, func(h string) string {
		name := h[1 : len(h)-1]
		v, _ := values[name].(string)
		if v == "" && missing == "" {
			missing = name
		}
		return url.PathEscape(v)
	})
	return filled, missing
}

// relationPath is the path of a relation: the first whose fields are all there.
func relationPath(k *d.Kind, values map[string]any) (string, error) {
	for _, p := range k.Paths {
		if filled, missing := fill(p, values); missing == "" {
			return filled, nil
		}
	}
	return "", fmt.Errorf("the declared fields do not name a %s; see its reference for which belong together", k.Name)
}

// identity is what tells a resource from others of its kind: the id, or for a relation the values of its key.
func identity(k *d.Kind, seen map[string]any) string {
	if k.Shape != d.Relation {
		id, _ := seen[k.IDField()].(string)
		return id
	}
	parts := make([]string, 0, len(k.Key))
	for _, name := range k.Key {
		f, _ := k.Field(name)
		parts = append(parts, keyPart(f, body.Actual(f, seen)))
	}
	return strings.Join(parts, "/")
}

// wantedIdentity is identity for declared values.
func wantedIdentity(k *d.Kind, wanted map[string]any) string {
	parts := make([]string, 0, len(k.Key))
	for _, name := range k.Key {
		f, _ := k.Field(name)
		parts = append(parts, keyPart(f, wanted[name]))
	}
	return strings.Join(parts, "/")
}

// keyPart is a word for a value: that which is declared where the API shows another one.
func keyPart(f d.Field, v any) string {
	for word, shown := range f.Values {
		if body.Same(d.Field{Type: d.JSON}, shown, v) {
			return word
		}
	}
	s, _ := v.(string)
	return s
}

// sameKey tells whether a resource has the natural key of what is declared. A key field that is not declared matches
// anything.
func sameKey(k *d.Kind, wanted, seen map[string]any) bool {
	if id := wantedID(k, wanted); id != "" {
		return id == identity(k, seen)
	}
	compared := 0
	for _, name := range k.Key {
		f, _ := k.Field(name)
		want, ok := wanted[name]
		if !ok || f.WriteOnly {
			continue
		}
		if !body.Same(f, want, body.Actual(f, seen)) {
			return false
		}
		compared++
	}
	return compared > 0
}

// hookEC2 is the hook of kinds whose id Keystone makes from the access key.
const hookEC2 = "ec2"

// wantedID is the id that a resource will get, when the declared fields say so.
func wantedID(k *d.Kind, wanted map[string]any) string {
	if k.Hook != hookEC2 {
		return ""
	}
	blob, _ := wanted["blob"].(string)
	var keys struct{ Access string }
	if err := json.Unmarshal([]byte(blob), &keys); err != nil || keys.Access == "" {
		return ""
	}
	sum := sha256.Sum256([]byte(keys.Access))
	return hex.EncodeToString(sum[:])
}
