package resources

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"stackwright.dev/stackwright/internal/resources/body"
	d "stackwright.dev/stackwright/internal/resources/descriptor"
)

// hole matches the parts of a path that a field fills.
var hole = regexp.MustCompile(`\{([^}]+)\}`)

// holes are the API names of the fields that a path has in it.
func holes(path string) []string {
	var out []string
	for _, m := range hole.FindAllStringSubmatch(path, -1) {
		out = append(out, m[1])
	}
	return out
}

// partOf are the fields that it takes to address a resource besides its id.
func partOf(k *d.Kind) []string {
	out := holes(k.Path)
	for _, p := range k.Paths {
		for _, name := range holes(p) {
			if name != k.IDField() && !slices.Contains(out, name) {
				out = append(out, name)
			}
		}
	}
	return out
}

// listPath is where all resources are listed.
func listPath(k *d.Kind) string { return cmp.Or(k.List.Path, k.Path) }

// relationPath is the path of a relation: the first whose fields are all there.
func relationPath(k *d.Kind, values map[string]any) (string, error) {
	for _, p := range k.Paths {
		if filled, missing := body.Path(p, values); missing == "" {
			return filled, nil
		}
	}
	return "", fmt.Errorf("the declared fields do not name a %s; see its reference for which belong together", k.Name)
}

// identity is what tells a resource from others of its kind: the id, or for a relation the values of its key.
func identity(k *d.Kind, seen map[string]any) string {
	if !k.Keyed() {
		return plainID(seen[k.IDField()])
	}
	parts := make([]string, 0, len(k.Key))
	for _, name := range k.Key {
		f, _ := k.Field(name)
		parts = append(parts, keyPart(f, body.Actual(f, seen)))
	}
	return strings.Join(parts, "/")
}

// plainID is an id as a word: some are numbers, and some the end of a URL.
func plainID(v any) string {
	switch id := v.(type) {
	case string:
		return id[strings.LastIndex(id, "/")+1:]
	case float64:
		return strconv.FormatFloat(id, 'f', -1, 64)
	}
	return ""
}

// wantedIdentity is identity for declared values.
func wantedIdentity(k *d.Kind, wanted map[string]any) string {
	parts := make([]string, 0, len(k.Key))
	for _, name := range k.Key {
		f, _ := k.Field(name)
		parts = append(parts, keyPart(f, declared(k, wanted, name)))
	}
	return strings.Join(parts, "/")
}

// declared is the value of a field, which may be an entry of a flat one.
func declared(k *d.Kind, wanted map[string]any, api string) any {
	if v, ok := wanted[api]; ok {
		return v
	}
	if f, ok := k.Field(api); ok {
		return body.At(wanted, f.In)
	}
	return nil
}

// keyPart is a word for a value: that which is declared where the API shows another one.
func keyPart(f d.Field, v any) string {
	for word, shown := range f.Values {
		if body.Same(d.Field{Type: d.JSON}, shown, v) {
			return word
		}
	}
	return plainID(v)
}

// related tells whether a relation is the one that is declared. A field of its key that is not declared has to be
// empty, or to be one of a choice of which another one is declared.
func related(k *d.Kind, wanted, seen map[string]any) bool {
	for _, name := range k.Key {
		f, _ := k.Field(name)
		want, have := declared(k, wanted, name), body.Actual(f, seen)
		if want == nil && chosen(k, wanted, name) {
			continue
		}
		if !body.Same(f, want, have) {
			return false
		}
	}
	return true
}

// chosen tells whether a field is one of a choice of which another one is declared.
func chosen(k *d.Kind, wanted map[string]any, api string) bool {
	for _, group := range k.OneOf {
		if slices.Contains(group, api) {
			return slices.ContainsFunc(group, func(other string) bool { return wanted[other] != nil })
		}
	}
	return false
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
		want := declared(k, wanted, name)
		if want == nil || f.WriteOnly {
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
