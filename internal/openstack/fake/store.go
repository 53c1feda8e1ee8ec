package fake

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"

	"stackwright.dev/stackwright/internal/resources/body"
	d "stackwright.dev/stackwright/internal/resources/descriptor"
)

// store has the resources of one kind.
type store struct {
	rows map[string]*row
	// gone are the resources that were deleted, by id.
	gone map[string]*row
}

// row is one resource.
type row struct {
	fields map[string]any
	// ready is when the resource comes to the state after, or to the first that is usable.
	ready  time.Time
	after  string
	serial int
	// updated is when it was changed last, leaves when it is deleted.
	updated, leaves time.Time
	// seeded rows were not made by a client.
	seeded bool
	// project that it belongs to.
	project string
	// importing is the state to which an import under way leads.
	importing string
	// taken is when somebody begins to make it.
	taken time.Time
	// spoilt rows end in an error.
	spoilt bool
}

// never is further away than any test goes.
const never = 1000 * time.Hour

// busy tells whether the service still works on the resource.
func (r *row) busy() bool { return time.Now().Before(r.ready) || !r.leaves.IsZero() }

// touched is when the resource was changed last, also by coming to a state.
func (r *row) touched() time.Time {
	if now := time.Now(); r.ready.After(r.updated) && !r.ready.After(now) {
		return r.ready
	}
	return r.updated
}

// row is a resource that is still there.
func (c *Cloud) row(k *d.Kind, id string) *row {
	s := c.stores[k.Name]
	r := s.rows[id]
	if r != nil {
		r.arrive()
	}
	if r != nil && !r.leaves.IsZero() && !time.Now().Before(r.leaves) {
		delete(s.rows, id)
		s.gone[id] = r
		return nil
	}
	return r
}

func (c *Cloud) create(k *d.Kind, parent map[string]any, id string, q *question) answer {
	in, problem := input(k, q, k.Create.Many)
	if problem == "" {
		problem = c.check(k, in, nil, q.version)
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
	maps.Copy(fields, c.spelled(placed(k, in)))
	maps.Copy(fields, placed(k, parent))
	if own, ok := fields[k.IDField()].(string); ok && own != "" {
		id = own // the id of what it attaches
	}
	if numbered(k) {
		id = strconv.Itoa(c.serial)
	}
	fields[k.IDField()] = c.shown(k, id)
	if c.row(k, id) != nil || c.unique(k) && c.namesake(k, fields) {
		return failure(http.StatusConflict, "Conflict occurred attempting to store "+k.Name+" - Duplicate entry.")
	}
	c.hide(fields)
	for _, f := range k.Fields {
		switch {
		case f.WriteOnly:
			delete(fields, f.API)
		case f.Output:
			fields[f.API] = "made for " + id
		}
	}
	c.serial++
	now := time.Now()
	row := &row{fields: fields, ready: now.Add(c.Build), taken: now.Add(min(c.Build/2, 10*time.Second)), updated: now,
		serial: c.serial, project: Project}
	c.lose(k, row)
	switch {
	case k.State.Path == "":
		row.ready = now
	case k.Hook == hookImage:
		beginImage(row)
	}
	s.rows[id] = row
	c.settle(k, fields)
	return c.made(k, row)
}

// settle lets another resource show that one is made.
func (c *Cloud) settle(k *d.Kind, fields map[string]any) {
	s := k.State.Settles
	if s.Path == "" || c.Unsettled {
		return
	}
	path, hole, _ := strings.Cut(strings.TrimSuffix(s.Path, "}"), "/{")
	_, field, _ := strings.Cut(s.Field, ".")
	for _, other := range c.kinds {
		id, _ := fields[hole].(string)
		if r := c.stores[other.Name].rows[id]; r != nil && other.Service == s.Service && other.Path == path {
			r.fields[field] = s.Ready[0]
		}
	}
}

// lose lets an order come to nobody who would take it, or to nothing.
func (c *Cloud) lose(k *d.Kind, r *row) {
	if k.State.Unmade.Path != "" && c.Spoil > 0 {
		c.Spoil--
		r.spoilt, r.after = true, k.State.Error[0]
		r.fields["fault"] = map[string]any{"message": "No valid host was found."}
	}
	if k.State.Untaken.Path != "" && c.Lose > 0 {
		c.Lose--
		r.ready, r.taken = time.Now().Add(never), time.Now().Add(never)
	}
}

// shown is the form in which answers show an id.
func (c *Cloud) shown(k *d.Kind, id string) any {
	if n, err := strconv.Atoi(id); err == nil && numbered(k) {
		return float64(n)
	}
	if strings.HasSuffix(k.ID, "_ref") {
		return "http://" + c.Host + "/" + k.Service + "/v1" + k.Path + "/" + id
	}
	return id
}

// numbered kinds have numbers for ids.
func numbered(k *d.Kind) bool { return k.Name == "HostAggregate" }

// terse are kinds whose creation is answered with the id alone.
var terse = []string{"Server", "KeyManagerSecret", "KeyManagerContainer", "Stack"}

// made is the answer to a creation.
func (c *Cloud) made(k *d.Kind, row *row) answer {
	shown := row.show(k)
	if slices.Contains(terse, k.Name) {
		shown = map[string]any{k.IDField(): shown[k.IDField()]}
	}
	out := any(map[string]any{k.Item: shown})
	switch {
	case k.Create.Many:
		out = map[string]any{k.Items: []any{shown}}
	case k.Item == d.None:
		out = shown
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
		case f.In != "" || f.Local || f.Beside || f.Output:
		case f.API == "domain_id":
			out[f.API] = "default"
		case f.API == osHidden:
			out[f.API] = false
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
func (c *Cloud) check(k *d.Kind, in map[string]any, have *row, version string) string {
	known := map[string]bool{k.IDField(): have == nil, k.Marker.Field: true}
	if k.Marker.Channel == d.MarkByTagLater {
		known[k.Marker.Field] = false
	}
	free := k.Marker.Channel == d.MarkByExtra
	for _, f := range k.Fields {
		if problem := checkField(k, f, in, have == nil); problem != "" {
			return problem
		}
		known[f.API] = (have == nil && !f.Later || have != nil && (!f.CreateOnly || k.Update.Whole) && f.Via == "") &&
			(f.Since == "" || !above(f.Since, version))
		for _, inner := range f.Fields {
			known[inner.API] = known[inner.API] || f.Flat
		}
		free = free || f.Flat && f.Type == d.Map
	}
	for name := range in {
		if _, more := c.More[name]; !known[name] && !free && !more {
			return fmt.Sprintf("Additional properties are not allowed ('%s' was unexpected)", name)
		}
	}
	return ""
}

func checkField(k *d.Kind, f d.Field, in map[string]any, fresh bool) string {
	v, given := in[f.API]
	inPath := strings.Contains(k.Path+k.Create.Path, "{"+f.API+"}")
	switch {
	case fresh && f.Required && !given && !inPath && !f.Flat && !f.Beside:
		return fmt.Sprintf("'%s' is a required property", f.API)
	case !given || f.Enum == nil || v == nil:
		return ""
	}
	values, isList := v.([]any)
	if !isList {
		values = []any{v}
	}
	for _, v := range values {
		if !slices.ContainsFunc(f.Enum, func(word string) bool { return fmt.Sprint(body.Value(f, word)) == fmt.Sprint(v) }) {
			return fmt.Sprintf("'%v' is not one of %v", v, f.Enum)
		}
	}
	return ""
}

func (c *Cloud) update(k *d.Kind, id string, q *question) answer {
	row := c.row(k, id)
	if row == nil {
		return missing(k, id)
	}
	if row.busy() {
		return failure(http.StatusConflict, k.Name+" "+id+" is immutable and cannot be updated.")
	}
	in, problem := patch(k, q)
	if problem == "" {
		problem = c.check(k, in, row, q.version)
	}
	if problem != "" {
		return failure(http.StatusBadRequest, problem)
	}
	for name, v := range c.spelled(placed(k, in)) {
		if f, ok := top(k, name); (!ok || !f.WriteOnly) && !c.Deaf[name] {
			row.fields[name] = v
		}
	}
	c.hide(row.fields)
	if v, given := in[k.Marker.Field]; given && v == nil && k.Update.JSONPatch {
		delete(row.fields, k.Marker.Field)
	}
	row.updated = time.Now()
	return c.show(k, id)
}

// spelled are fields as the service writes them down.
func (c *Cloud) spelled(fields map[string]any) map[string]any {
	for name, v := range fields {
		if spell := c.Spell[name]; spell != nil && v != nil {
			fields[name] = spell(v)
		}
	}
	return fields
}

// hide takes away what the service does not show.
func (c *Cloud) hide(fields map[string]any) {
	maps.DeleteFunc(fields, func(name string, _ any) bool {
		shown, more := c.More[name]
		return more && !shown
	})
}

// patch is what an update changes.
func patch(k *d.Kind, q *question) (map[string]any, string) {
	if !k.Update.JSONPatch {
		return input(k, q, false)
	}
	ops, ok := q.doc.([]any)
	if !ok || q.Header.Get("Content-Type") != "application/openstack-images-v2.1-json-patch" {
		return nil, "the body is no JSON patch"
	}
	in := map[string]any{}
	for _, op := range ops {
		m, _ := op.(map[string]any)
		path, _ := m["path"].(string)
		in[strings.NewReplacer("~1", "/", "~0", "~").Replace(strings.TrimPrefix(path, "/"))] = m["value"]
	}
	return in, ""
}

func (c *Cloud) show(k *d.Kind, id string) answer {
	row, gone := c.row(k, id), c.stores[k.Name].gone[id]
	var shown map[string]any
	switch {
	case row != nil:
		shown = row.show(k)
	case gone != nil && c.Remembers && len(k.State.Deleted) > 0:
		shown = maps.Clone(gone.fields)
		shown[k.State.Path] = k.State.Deleted[0]
	default:
		return missing(k, id)
	}
	if k.Item == d.None {
		return answer{http.StatusOK, shown}
	}
	return answer{http.StatusOK, map[string]any{k.Item: shown}}
}

// show is the resource with its state as of now.
func (r *row) show(k *d.Kind) map[string]any {
	r.arrive()
	out := maps.Clone(r.fields)
	if sign := k.State.Untaken; sign.Path != "" {
		switch untaken := time.Now().Before(r.taken) && r.leaves.IsZero(); {
		case untaken && sign.Value == "":
			out[sign.Path] = nil
		case untaken:
			out[sign.Path] = sign.Value
		case sign.Value == "":
			out[sign.Path] = "somebody"
		}
	}
	if sign := k.State.Unmade; sign.Path != "" && out[sign.Path] == nil {
		if out[sign.Path] = nil; !r.spoilt && !time.Now().Before(r.ready) {
			out[sign.Path] = "2000-01-01T00:00:00.000000"
		}
	}
	if k.State.Path == "" || out[k.State.Path] != nil {
		return out
	}
	switch {
	case !r.leaves.IsZero() && beside(k):
		out[k.State.Leaving.Path], out[k.State.Path] = k.State.Leaving.Value, k.State.Ready[0]
		if r.spoilt {
			out[k.State.Path] = r.after
		}
	case !r.leaves.IsZero():
		out[k.State.Path] = "deleting"
	case time.Now().Before(r.ready) && len(k.State.Pending) > 0:
		out[k.State.Path] = k.State.Pending[0]
	case time.Now().Before(r.ready):
		out[k.State.Path] = "busy"
	case r.after != "":
		out[k.State.Path] = r.after
	default:
		out[k.State.Path] = k.State.Ready[0]
	}
	return out
}

// beside tells whether what is being deleted shows it beside its state. A second order to delete it is then ignored.
func beside(k *d.Kind) bool {
	return k.State.Leaving.Path != "" && k.State.Leaving.Path != k.State.Path
}

func missing(k *d.Kind, id string) answer {
	return failure(http.StatusNotFound, fmt.Sprintf("Could not find %s: %s.", k.Item, id))
}

func (c *Cloud) delete(k *d.Kind, id string) answer {
	row := c.row(k, id)
	if row == nil {
		return missing(k, id)
	}
	for name, want := range k.BeforeDelete {
		if row.fields[name] != want {
			return failure(http.StatusForbidden, fmt.Sprintf("Cannot delete a %s while %s is not %v", k.Item, name, want))
		}
	}
	switch {
	case !row.leaves.IsZero() && beside(k):
		return answer{code: http.StatusNoContent}
	case !row.leaves.IsZero():
		return failure(http.StatusBadRequest, "Invalid "+k.Item+": the status is deleting")
	case k.State.Path != "" && c.Build > 0:
		row.leaves = time.Now().Add(c.Build)
		if c.LoseRemovals > 0 {
			c.LoseRemovals--
			row.leaves = time.Now().Add(never)
		}
		row.updated = time.Now()
		delete(row.fields, k.State.Path)
		return answer{code: http.StatusAccepted}
	}
	row.leaves = time.Now() // lists of changes tell of it
	delete(c.stores[k.Name].rows, id)
	c.stores[k.Name].gone[id] = row
	return answer{code: http.StatusNoContent}
}
