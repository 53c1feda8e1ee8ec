package resources

import (
	"context"
	"encoding/json"
	"fmt"
	"hash/maphash"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	"stackwright.dev/stackwright/internal/openstack"
	"stackwright.dev/stackwright/internal/resources/body"
	d "stackwright.dev/stackwright/internal/resources/descriptor"
	"stackwright.dev/stackwright/internal/resources/mirror"
)

// Door is a session with a cloud.
type Door interface {
	Do(context.Context, openstack.Request) (*openstack.Response, error)
	ProjectID() string
	UserID() string
	Services() []string
}

// maxPages ends a list whose pages never end.
const maxPages = 10_000

// lister reads all resources of a kind below one path.
type lister struct {
	kind *d.Kind
	door Door
	// path of the collection, and what its holes were filled with.
	path   string
	parent map[string]any
	seed   maphash.Seed
	lane   openstack.Lane
}

// List implements mirror.Source.
func (l *lister) List(ctx context.Context, since time.Time) (mirror.Listed, error) {
	query := l.query()
	out := mirror.Listed{All: since.IsZero() || l.kind.List.Changes == ""}
	if !out.All {
		query.Set(l.kind.List.Changes, since.UTC().Format(time.RFC3339))
	}
	for range maxPages {
		resp, err := l.door.Do(ctx, openstack.Request{Service: l.kind.Service, Lane: l.lane, Method: http.MethodGet,
			Path: l.path, Query: query})
		if err != nil {
			return mirror.Listed{}, fmt.Errorf("listing %s: %w", l.kind.Plural, err)
		}
		page, next, err := l.page(resp.Body)
		if err == nil {
			err = l.sort(page, &out)
		}
		if err != nil {
			return mirror.Listed{}, fmt.Errorf("listing %s: %w", l.kind.Plural, err)
		}
		if next == nil {
			return out, nil
		}
		query = next
	}
	return mirror.Listed{}, fmt.Errorf("listing %s: no end after %d pages", l.kind.Plural, maxPages)
}

// sort puts the resources of a page to those that are there or those that are gone.
func (l *lister) sort(page []map[string]any, out *mirror.Listed) error {
	for _, seen := range page {
		if state, _ := body.At(seen, l.kind.State.Path).(string); slices.Contains(l.kind.State.Deleted, state) {
			out.Gone = append(out.Gone, identity(l.kind, seen))
			continue
		}
		i, err := l.item(seen)
		if err != nil {
			return err
		}
		out.Found = append(out.Found, i)
	}
	return nil
}

func (l *lister) query() url.Values {
	q, _ := url.ParseQuery(l.kind.List.Query)
	return q
}

// page returns the resources of one page, and the query of the next one.
func (l *lister) page(raw []byte) ([]map[string]any, url.Values, error) {
	var doc map[string]any
	if err := json.Unmarshal(raw, &doc); err != nil {
		return nil, nil, fmt.Errorf("the answer is no JSON object: %w", err)
	}
	entries, ok := body.At(doc, l.kind.Items).([]any)
	if !ok {
		return nil, nil, fmt.Errorf("the answer has no list %s", l.kind.Items)
	}
	out := make([]map[string]any, 0, len(entries))
	for _, e := range entries {
		if m, ok := e.(map[string]any); ok {
			maps.Copy(m, l.parent)
			out = append(out, m)
		}
	}
	return out, next(doc, l.kind.Items), nil
}

// next finds the link to the next page in the three forms in which services give it.
func next(doc map[string]any, items string) url.Values {
	link, _ := doc["next"].(string)
	if links, ok := doc["links"].(map[string]any); ok {
		link, _ = links["next"].(string)
	}
	if links, ok := doc[items+"_links"].([]any); ok {
		for _, l := range links {
			if m, _ := l.(map[string]any); m["rel"] == "next" {
				link, _ = m["href"].(string)
			}
		}
	}
	_, query, found := strings.Cut(link, "?")
	if !found {
		return nil
	}
	q, err := url.ParseQuery(query)
	if err != nil {
		return nil
	}
	return q
}

// item keeps of a resource what its descriptor knows.
func (l *lister) item(seen map[string]any) (mirror.Item, error) {
	kept := map[string]any{}
	keep := func(path string) {
		name, _, _ := strings.Cut(path, ".")
		if v, ok := seen[name]; ok && name != "" {
			kept[name] = v
		}
	}
	keep(l.kind.IDField())
	keep(l.kind.State.Path)
	keep(l.kind.State.Fault)
	keep(l.kind.Marker.Field)
	for _, f := range l.kind.Fields {
		if keep(f.API); f.In != "" {
			keep(f.In)
		}
	}
	keep("created_at")
	raw, err := json.Marshal(kept)
	if err != nil {
		return mirror.Item{}, fmt.Errorf("encoding a %s: %w", l.kind.Name, err)
	}
	return mirror.Item{ID: identity(l.kind, seen), Marker: markerIn(l.kind, seen), Hash: maphash.Bytes(l.seed, raw),
		Raw: raw}, nil
}

// markerIn returns the marker that a resource carries.
func markerIn(k *d.Kind, seen map[string]any) string {
	switch k.Marker.Channel {
	case d.MarkByExtra:
		s, _ := seen[k.Marker.Field].(string)
		return s
	case d.MarkByID:
		s, _ := seen[k.IDField()].(string)
		return s
	case d.MarkByMetadata:
		m, _ := seen[k.Marker.Field].(map[string]any)
		s, _ := m[markerKey].(string)
		return s
	case d.MarkByTag, d.MarkByTagLater:
		tags, _ := seen[k.Marker.Field].([]any)
		for _, t := range tags {
			if s, _ := t.(string); strings.HasPrefix(s, markerKey+"=") {
				return strings.TrimPrefix(s, markerKey+"=")
			}
		}
	}
	return ""
}

// markerKey names the marker among metadata and tags.
const markerKey = "stackwright_owner"
