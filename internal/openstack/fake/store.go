package fake

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	"stackwright.dev/stackwright/internal/resources/body"
	d "stackwright.dev/stackwright/internal/resources/descriptor"
)

// store has the resources of one kind.
type store struct{ rows map[string]*row }

// row is one resource.
type row struct {
	fields map[string]any
	ready  time.Time
	serial int
	// seeded rows were not made by a client.
	seeded bool
}

func (c *Cloud) create(k *d.Kind, parent map[string]any, id string, r *http.Request) answer {
	in, problem := input(k, r, k.Create.Many)
	if problem == "" {
		problem = check(k, in, nil)
	}
	if problem != "" {
		return failure(http.StatusBadRequest, problem)
	}
	s := c.stores[k.Name]
	if q, limited := c.Quota[k.Name]; limited && len(s.rows) >= q {
		return failure(http.StatusForbidden, "Quota exceeded for resources: "+k.Plural)
	}
	for _, name := range []string{k.IDField(), k.Marker.Field} {
		if given, ok := in[name].(string); ok && given != "" && (name == k.IDField() || k.Marker.Channel == d.MarkByID) {
			id = given
			delete(in, name)
		}
	}
	if k.Hook == "ec2" {
		id = accessID(in)
	}
	fields := c.defaults(k)
	maps.Copy(fields, in)
	maps.Copy(fields, parent)
	fields[k.IDField()] = id
	if s.rows[id] != nil || c.unique(k) && c.namesake(k, fields) {
		return failure(http.StatusConflict, "Conflict occurred attempting to store "+k.Name+" - Duplicate entry.")
	}
	for _, f := range k.Fields {
		if f.WriteOnly {
			delete(fields, f.API)
		}
	}
	c.serial++
	row := &row{fields: fields, ready: time.Now().Add(c.Build), serial: c.serial}
	s.rows[id] = row
	out := any(map[string]any{k.Item: row.show(k)})
	switch {
	case k.Create.Many:
		out = map[string]any{k.Items: []any{row.show(k)}}
	case k.Item == d.None:
		out = row.show(k)
	}
	return answer{http.StatusCreated, out}
}

// accessID is the id of a credential, which Keystone makes from the access key.
func accessID(in map[string]any) string {
	blob, _ := in["blob"].(string)
	var keys struct{ Access string }
	_ = json.Unmarshal([]byte(blob), &keys)
	sum := sha256.Sum256([]byte(keys.Access))
	return hex.EncodeToString(sum[:])
}

// defaults are what a service fills in: enough to show that what nobody declared is no drift.
func (c *Cloud) defaults(k *d.Kind) map[string]any {
	out := map[string]any{"created_at": time.Now().UTC().Format(time.RFC3339)}
	for _, f := range k.Fields {
		switch {
		case f.API == "domain_id":
			out[f.API] = "default"
		case f.Type == d.Bool:
			out[f.API] = true
		case f.Type == d.Strings:
			out[f.API] = []any{}
		case f.Ref == "" && f.Type == d.String && !f.CreateOnly:
			out[f.API] = nil
		}
	}
	return out
}

// unique kinds have their key once; in identity that holds for everything.
func (c *Cloud) unique(k *d.Kind) bool {
	return k.Marker.Channel == d.MarkByKey || k.Service == "identity" && !c.Twins
}

func (c *Cloud) namesake(k *d.Kind, fields map[string]any) bool {
	for _, other := range c.stores[k.Name].rows {
		same := true
		for _, name := range k.Key {
			f, _ := k.Field(name)
			same = same && body.Same(f, fields[name], other.fields[name])
		}
		if same {
			return true
		}
	}
	return false
}

// check is what a service's schema refuses. have is the resource that is changed, nil for a new one.
func check(k *d.Kind, in map[string]any, have *row) string {
	known := map[string]bool{k.IDField(): have == nil, k.Marker.Field: true}
	for _, f := range k.Fields {
		known[f.API] = have == nil || !f.CreateOnly
		v, given := in[f.API]
		switch {
		case have == nil && f.Required && !given && !strings.Contains(k.Path, "{"+f.API+"}"):
			return fmt.Sprintf("'%s' is a required property", f.API)
		case given && f.Enum != nil && !slices.Contains(f.Enum, fmt.Sprint(v)):
			return fmt.Sprintf("'%v' is not one of %v", v, f.Enum)
		}
	}
	for name := range in {
		if !known[name] && k.Marker.Channel != d.MarkByExtra {
			return fmt.Sprintf("Additional properties are not allowed ('%s' was unexpected)", name)
		}
	}
	return ""
}

func (c *Cloud) update(k *d.Kind, id string, r *http.Request) answer {
	row := c.stores[k.Name].rows[id]
	if row == nil {
		return missing(k, id)
	}
	in, problem := input(k, r, false)
	if problem == "" {
		problem = check(k, in, row)
	}
	if problem != "" {
		return failure(http.StatusBadRequest, problem)
	}
	for name, v := range in {
		if f, ok := k.Field(name); !ok || !f.WriteOnly {
			row.fields[name] = v
		}
	}
	return c.show(k, id)
}

func (c *Cloud) show(k *d.Kind, id string) answer {
	row := c.stores[k.Name].rows[id]
	switch {
	case row == nil:
		return missing(k, id)
	case k.Item == d.None:
		return answer{http.StatusOK, row.show(k)}
	}
	return answer{http.StatusOK, map[string]any{k.Item: row.show(k)}}
}

// show is the resource with its state as of now.
func (r *row) show(k *d.Kind) map[string]any {
	out := maps.Clone(r.fields)
	if k.State.Path == "" || out[k.State.Path] != nil {
		return out
	}
	if len(k.State.Pending) > 0 && time.Now().Before(r.ready) {
		out[k.State.Path] = k.State.Pending[0]
	} else if len(k.State.Ready) > 0 {
		out[k.State.Path] = k.State.Ready[0]
	}
	return out
}

func missing(k *d.Kind, id string) answer {
	return failure(http.StatusNotFound, fmt.Sprintf("Could not find %s: %s.", k.Item, id))
}

func (c *Cloud) delete(k *d.Kind, id string) answer {
	row := c.stores[k.Name].rows[id]
	if row == nil {
		return missing(k, id)
	}
	for name, want := range k.BeforeDelete {
		if row.fields[name] != want {
			return failure(http.StatusForbidden, fmt.Sprintf("Cannot delete a %s while %s is not %v", k.Item, name, want))
		}
	}
	delete(c.stores[k.Name].rows, id)
	return answer{code: http.StatusNoContent}
}

func (c *Cloud) list(k *d.Kind, parent map[string]any, query url.Values) answer {
	rows := slices.SortedFunc(maps.Values(c.stores[k.Name].rows), func(a, b *row) int { return a.serial - b.serial })
	out := []any{}
	for _, r := range rows {
		if !c.Hidden[k.Name] && r.within(parent) && r.selected(k, query) {
			out = append(out, r.show(k))
		}
	}
	return answer{http.StatusOK, nest(k.Items, out)}
}

// nest makes the envelope of a list whose name is a path.
func nest(path string, v any) any {
	head, rest, found := strings.Cut(path, ".")
	if !found {
		return map[string]any{head: v, "links": map[string]any{"next": nil}}
	}
	return map[string]any{head: nest(rest, v)}
}

func (r *row) within(parent map[string]any) bool {
	for name, v := range parent {
		if r.fields[name] != v {
			return false
		}
	}
	return true
}

func (r *row) selected(k *d.Kind, query url.Values) bool {
	for _, f := range k.Fields {
		if want := query.Get(f.API); want != "" && fmt.Sprint(r.fields[f.API]) != want {
			return false
		}
	}
	return true
}

// relation makes, shows or removes a relation. Its row has the values where lists show them.
func (c *Cloud) relation(k *d.Kind, values map[string]any, r *http.Request) answer {
	s, id := c.stores[k.Name], relationID(k, values)
	switch {
	case r.Method == http.MethodPut && s.rows[id] == nil:
		c.relate(k, id, values)
	case s.rows[id] == nil:
		return missing(k, id)
	case r.Method == http.MethodDelete:
		delete(s.rows, id)
	}
	return answer{code: http.StatusNoContent}
}

// relate makes the row of a relation.
func (c *Cloud) relate(k *d.Kind, id string, values map[string]any) *row {
	c.serial++
	fields := map[string]any{}
	for _, f := range k.Fields {
		v, ok := values[f.API]
		if !ok {
			continue
		}
		if strings.Contains(k.Path, "{"+f.API+"}") {
			fields[f.API] = v
		}
		if word, _ := v.(string); f.Values[word] != nil {
			v = f.Values[word]
		}
		body.Place(fields, f, v)
	}
	made := &row{fields: fields, serial: c.serial}
	c.stores[k.Name].rows[id] = made
	return made
}

func relationID(k *d.Kind, values map[string]any) string {
	parts := make([]string, 0, len(k.Key))
	for _, name := range k.Key {
		v, _ := values[name].(string)
		parts = append(parts, v)
	}
	return strings.Join(parts, "/")
}
