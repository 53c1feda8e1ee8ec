package fake

import (
	"encoding/json"
	"maps"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"

	d "stackwright.dev/stackwright/internal/resources/descriptor"
)

// What follows does what somebody else does to a cloud: no request is recorded.

// Put makes a resource, or replaces the fields of one, and returns its id.
func (c *Cloud) Put(kind string, fields map[string]any) string {
	c.mu.Lock()
	defer c.mu.Unlock()
	k := c.kind(kind)
	switch k.Shape {
	case d.Singleton:
		return c.setQuota(k, fields)
	case d.Relation:
		id := relationID(k, fields)
		c.relate(k, id, fields).seeded = true
		c.notify(k, created, fields)
		return id
	}
	id, _ := placed(k, fields)[k.IDField()].(string)
	if n, ok := fields[k.IDField()].(float64); ok {
		id = strconv.Itoa(int(n))
	}
	if id == "" {
		id, _ = fields["id"].(string)
	}
	id = id[strings.LastIndex(id, "/")+1:]
	if id == "" {
		id = c.id()
	}
	r := c.stores[kind].rows[id]
	if r == nil {
		c.serial++
		r = &row{fields: c.defaults(k), serial: c.serial, seeded: true, updated: time.Now()}
		c.stores[kind].rows[id] = r
	}
	maps.Copy(r.fields, placed(k, fields))
	r.project = projectIn(r.fields)
	r.fields[k.IDField()] = c.shown(k, id)
	for _, f := range k.Fields {
		if f.Output {
			r.fields[f.API] = "made for " + id
		}
	}
	r.updated = time.Now()
	c.notify(k, updated, map[string]any{"id": id})
	return id
}

func (c *Cloud) setQuota(k *d.Kind, fields map[string]any) string {
	id := relationID(k, fields)
	c.serial++
	row := newQuota(k, c.serial)
	row.seeded = true
	for name, v := range fields {
		if !slices.Contains(k.Key, name) {
			row.fields[name] = v
		}
	}
	c.stores[k.Name].rows[id] = row
	return id
}

// Remove deletes a resource.
func (c *Cloud) Remove(kind, id string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if row := c.stores[kind].rows[id]; row != nil && c.Remembers {
		row.leaves = time.Now()
		c.stores[kind].gone[id] = row
	}
	delete(c.stores[kind].rows, id)
	c.notify(c.kind(kind), deleted, map[string]any{"id": id})
}

// All returns copies of all resources of a kind, oldest first.
func (c *Cloud) All(kind string) []map[string]any {
	c.mu.Lock()
	defer c.mu.Unlock()
	k := c.kind(kind)
	rows := slices.SortedFunc(maps.Values(c.stores[kind].rows), func(a, b *row) int { return a.serial - b.serial })
	out := make([]map[string]any, 0, len(rows))
	for _, r := range rows {
		out = append(out, r.show(k))
	}
	return out
}

// Snapshot is what clients have made, without what differs from run to run; empty when there is nothing. A test of the
// kit compares it.
func (c *Cloud) Snapshot() string {
	c.mu.Lock()
	defer c.mu.Unlock()
	var out strings.Builder
	for _, k := range c.kinds {
		var lines []string
		for _, r := range c.stores[k.Name].rows {
			if r.seeded {
				continue
			}
			fields := r.show(k)
			for _, name := range []string{k.IDField(), "created_at", k.Marker.Field} {
				if _, declared := k.Field(name); !declared || name == k.Marker.Field {
					delete(fields, name)
				}
			}
			raw, err := json.Marshal(fields)
			if err != nil {
				continue
			}
			lines = append(lines, "  "+k.Name+" "+string(raw)+"\n")
		}
		slices.Sort(lines)
		out.WriteString(strings.Join(lines, ""))
	}
	return out.String()
}

// IDs are the ids of all resources of a kind, of relations what tells them apart, oldest first.
func (c *Cloud) IDs(kind string) []string {
	c.mu.Lock()
	defer c.mu.Unlock()
	rows := c.stores[kind].rows
	return slices.SortedFunc(maps.Keys(rows), func(a, b string) int { return rows[a].serial - rows[b].serial })
}

// SetQuota limits how many resources of a kind there may be.
func (c *Cloud) SetQuota(kind string, n int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.Quota[kind] = n
}

// Rotate changes the password, as of now; tokens that were had by the one before are not good any more.
func (c *Cloud) Rotate(password string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.Password = password
	clear(c.tokens)
}

// SetSpoil says how many of the next orders end in an error.
func (c *Cloud) SetSpoil(n int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.Spoil = n
}

// SetFault says what goes wrong from now on; nil for nothing.
func (c *Cloud) SetFault(f func(n int, r *http.Request) Fault) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.Fault = f
}

// Say lets the service tell users something of each resource of a kind.
func (c *Cloud) Say(kind, text string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.says = map[string]string{}
	for id := range c.stores[kind].rows {
		c.says[id] = text
	}
}

func (c *Cloud) kind(name string) *d.Kind {
	for _, k := range c.kinds {
		if k.Name == name {
			return k
		}
	}
	return nil
}
