package fake

import (
	"maps"
	"net/http"
	"strings"

	"stackwright.dev/stackwright/internal/resources/body"
	d "stackwright.dev/stackwright/internal/resources/descriptor"
)

// singleton shows, sets or resets what always exists.
func (c *Cloud) singleton(k *d.Kind, values map[string]any, q *question) answer {
	s, id := c.stores[k.Name], relationID(k, values)
	// As get_quotas of Designate's central does.
	if project, ok := values["project_id"].(string); ok && byHeader(k) && !q.sees(k, project) {
		return failure(http.StatusForbidden, "all-projects is needed for quotas of another project")
	}
	row := s.rows[id]
	if row == nil {
		c.serial++
		row = newQuota(k, c.serial)
	}
	switch q.Method {
	case http.MethodDelete:
		delete(s.rows, id)
		return answer{code: http.StatusNoContent}
	case http.MethodPut, http.MethodPatch:
		in, problem := input(k, q, false)
		if problem == "" {
			problem = c.check(k, in, row, q.version)
		}
		if problem != "" {
			return failure(http.StatusBadRequest, problem)
		}
		maps.Copy(row.fields, in)
		c.hide(row.fields)
		s.rows[id] = row
	}
	if k.Item == d.None {
		return answer{http.StatusOK, row.fields}
	}
	return answer{http.StatusOK, map[string]any{k.Item: row.fields}}
}

// newQuota has the defaults.
func newQuota(k *d.Kind, serial int) *row {
	fields := map[string]any{}
	for _, f := range k.Fields {
		if f.Type == d.Int {
			fields[f.API] = float64(10)
		}
	}
	return &row{fields: fields, serial: serial}
}

// relation makes, shows or removes a relation. Its row has the values where lists show them.
func (c *Cloud) relation(k *d.Kind, values map[string]any, q *question) answer {
	s, id := c.stores[k.Name], relationID(k, values)
	switch {
	case q.Method == http.MethodPut && s.rows[id] == nil:
		c.relate(k, id, values)
	case s.rows[id] == nil, q.Method == http.MethodDelete && above(k.Delete.Since, q.version):
		return missing(k, id)
	case q.Method == http.MethodDelete:
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
