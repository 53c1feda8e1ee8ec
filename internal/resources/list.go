package resources

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"hash/maphash"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strconv"
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
	Microversions(ctx context.Context, service string) (lowest, highest string, err error)
}

// maxPages ends a list whose pages never end.
const maxPages = 10_000

// bounds are what one list may be. Those of the clouds that there are have tens of thousands of resources: 60,000 ports
// come in 60 pages, and take 60 MB to keep.
type bounds struct {
	items int
	// read is how many bytes the pages may have, kept how many of them the mirror has.
	read, kept int64
}

// overhead is what the mirror takes for a resource besides its text.
const overhead = 300

// bounded are the usual bounds. What is kept may take a quarter of the memory of the process, so that who has a larger
// cloud gives the operator more; 64 MiB are there in any case.
func bounded() bounds {
	return bounds{items: 500_000, read: 1 << 30, kept: min(max(openstack.Quarter(), 64<<20), 1<<30)}
}

// add counts what a page has, until it is too much.
func (b *bounds) add(items, read, kept int) error {
	b.items, b.read, b.kept = b.items-items, b.read-int64(read), b.kept-int64(kept)
	if b.items < 0 || b.read < 0 || b.kept < 0 {
		return errors.New("there is more than the operator takes from one list; see what answers in place of the service, " +
			"use credentials that see less, or give the operator more memory")
	}
	return nil
}

// lister reads all resources of a kind below one path.
type lister struct {
	kind *d.Kind
	door Door
	// path of the list, and what its holes were filled with.
	path   string
	parent map[string]any
	// everywhere asks for the resources of all projects.
	everywhere bool
	seed       maphash.Seed
	// watch knows whether the list is as before; nil for kinds without a survey.
	watch *watch
	// whole lists show everything: the cloud has refused one of changes.
	whole bool
	// bulk lists are of somebody who reads all that is there.
	bulk bool
	// keep names what is kept of a resource besides what the descriptor knows.
	keep []string
	// extra is kept, too.
	extra names
	// most are the bounds of a list; the usual ones when nil.
	most *bounds
}

// List implements mirror.Source.
func (l *lister) List(ctx context.Context, since time.Time, why mirror.Reason) (mirror.Listed, error) {
	if l.watch == nil || len(l.extra.get()) > 0 { // of which no survey tells
		return l.list(ctx, since, why)
	}
	return l.watch.list(ctx, why, func() (mirror.Listed, error) { return l.list(ctx, since, why) })
}

func (l *lister) list(ctx context.Context, since time.Time, why mirror.Reason) (mirror.Listed, error) {
	version, err := l.version(ctx)
	if err != nil {
		return mirror.Listed{}, fmt.Errorf("listing %s: %w", l.kind.Plural, err)
	}
	if since.IsZero() || l.whole || !l.tellsChanges(version) {
		return l.read(ctx, l.query(), version, mirror.Listed{All: true}, why)
	}
	query := l.query()
	name, before, _ := strings.Cut(l.kind.List.Changes, "=")
	query.Set(name, before+since.UTC().Format(time.RFC3339))
	out, err := l.read(ctx, query, version, mirror.Listed{}, why)
	if openstack.ClassOf(err) == openstack.Invalid {
		// Cinder's filters for users are configured: resource_query_filters_file may lack this one.
		l.whole = true
		return l.read(ctx, l.query(), version, mirror.Listed{All: true}, why)
	}
	return out, err
}

// tellsChanges says whether lists of a microversion can be of what changed since a time. Cinder ignores a filter that
// a microversion does not have.
func (l *lister) tellsChanges(version string) bool {
	return l.kind.List.Changes != "" && !above(l.kind.List.ChangesSince, version)
}

// read reads a list.
func (l *lister) read(ctx context.Context, query url.Values, version string, out mirror.Listed, why mirror.Reason,
) (mirror.Listed, error) {
	left := l.bounds()
	err := l.pages(ctx, query, version, why, func(page []map[string]any) error {
		kept, err := l.sort(page, &out)
		if err != nil {
			return err
		}
		return left.add(0, 0, kept)
	})
	if err != nil {
		return mirror.Listed{}, fmt.Errorf("listing %s: %w", l.kind.Plural, err)
	}
	return out, nil
}

func (l *lister) bounds() bounds {
	if l.most != nil {
		return *l.most
	}
	return bounded()
}

// pages calls f with each page of a list, which is not kept.
func (l *lister) pages(ctx context.Context, query url.Values, version string, why mirror.Reason,
	f func([]map[string]any) error) error {
	left := l.bounds()
	for range maxPages {
		var next url.Values
		var failed error
		take := func(raw []byte) {
			var page []map[string]any
			if page, next, failed = l.page(raw); failed == nil {
				failed = left.add(len(page), len(raw), 0)
			}
			if failed == nil {
				failed = f(page)
			}
			if len(page) == 0 {
				next = nil
			}
		}
		_, err := l.door.Do(ctx, openstack.Request{Service: l.kind.Service, Lane: l.urgency(why), Method: http.MethodGet,
			Path: l.path, Query: query, Header: l.header(l.parent), Microversion: version, Take: take})
		switch {
		case err != nil:
			return err
		case failed != nil || next == nil:
			return failed
		}
		query = next
	}
	return fmt.Errorf("no end after %d pages", maxPages)
}

// urgency is the lane of a list.
func (l *lister) urgency(why mirror.Reason) openstack.Lane {
	switch {
	case l.bulk:
		return openstack.Import
	case why == mirror.Asked:
		return openstack.Urgent
	case why == mirror.Awaited:
		return openstack.Wait
	}
	return openstack.Drift
}

// version is the microversion by which the kind is read: a cloud that has only lower ones is read by its highest.
func (l *lister) version(ctx context.Context) (string, error) {
	if l.kind.Read == "" {
		return "", nil
	}
	_, most, err := l.door.Microversions(ctx, l.kind.Service)
	if err != nil {
		return "", fmt.Errorf("reading the microversions of %s: %w", l.kind.Service, err)
	}
	if above(l.kind.Read, most) {
		return most, nil
	}
	return l.kind.Read, nil
}

// sort puts the resources of a page to those that are there or those that are gone, and tells how many bytes that
// takes.
func (l *lister) sort(page []map[string]any, out *mirror.Listed) (kept int, err error) {
	for _, seen := range page {
		kept += overhead
		if slices.Contains(l.kind.State.Deleted, state(l.kind, seen)) {
			id := identity(l.kind, seen)
			out.Gone = append(out.Gone, id)
			kept += len(id)
			continue
		}
		i, err := l.item(seen)
		if err != nil {
			return 0, err
		}
		out.Found = append(out.Found, i)
		kept += len(i.ID) + len(i.Marker) + len(i.Cluster) + len(i.Raw)
	}
	return kept, nil
}

func (l *lister) query() url.Values {
	q, err := url.ParseQuery(l.kind.List.Query)
	if err != nil {
		q = url.Values{}
	}
	if l.kind.List.Page > 0 {
		q.Set("limit", strconv.Itoa(l.kind.List.Page))
	}
	if name, value, ok := strings.Cut(l.kind.List.AllProjects, "="); ok && l.everywhere {
		q.Set(name, value)
	}
	return q
}

// header asks for the resources of all projects, where a header does that. What is of another project, such as its
// quotas in Designate, needs the header, too.
func (l *lister) header(values map[string]any) http.Header {
	name, value, ok := strings.Cut(l.kind.List.AllProjects, ": ")
	project, _ := values["project_id"].(string)
	if ok && (l.everywhere || project != "" && project != l.door.ProjectID()) {
		return http.Header{name: {value}}
	}
	return nil
}

// page returns the resources of one page, and the query of the next one.
func (l *lister) page(raw []byte) ([]map[string]any, url.Values, error) {
	var doc map[string]any
	if err := json.Unmarshal(raw, &doc); err != nil {
		return nil, nil, fmt.Errorf("the answer is no JSON object: %w; see what answers in place of the service; "+
			"it is tried again", err)
	}
	entries, err := l.entries(doc)
	if err != nil {
		return nil, nil, err
	}
	out := make([]map[string]any, 0, len(entries))
	for _, e := range entries {
		m, ok := e.(map[string]any)
		if !ok {
			m = map[string]any{d.Self: e}
		}
		if inner, ok := m[l.kind.Item].(map[string]any); ok && l.kind.List.Wrapped {
			m = inner
		}
		for name, v := range l.parent {
			if f, ok := l.kind.Field(name); ok && body.Actual(f, m) == nil {
				body.Place(m, f, v)
			}
		}
		out = append(out, m)
	}
	return out, next(doc), nil
}

// entries are what an answer lists; a singleton is an answer of its own.
func (l *lister) entries(doc map[string]any) ([]any, error) {
	if l.kind.Shape == d.Singleton {
		if l.kind.Item == d.None {
			return []any{doc}, nil
		}
		one, ok := doc[l.kind.Item]
		if !ok {
			return nil, fmt.Errorf("the answer has no %s", l.kind.Item)
		}
		return []any{one}, nil
	}
	entries, ok := body.At(doc, l.kind.Items).([]any)
	if !ok {
		return nil, fmt.Errorf("the answer has no list %s", l.kind.Items)
	}
	return entries, nil
}

// next finds the link to the next page in the three forms in which services give it.
func next(doc map[string]any) url.Values {
	link, _ := doc["next"].(string)
	if links, ok := doc["links"].(map[string]any); ok {
		if next, ok := links["next"].(string); ok {
			link = next
		}
	}
	for name, v := range doc {
		links, ok := v.([]any)
		if !ok || !strings.HasSuffix(name, "_links") {
			continue
		}
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

// item keeps of a resource what its descriptor knows, and takes the marker out.
func (l *lister) item(shown map[string]any) (mirror.Item, error) {
	marker := markerIn(l.kind, shown)
	seen := body.Seen(l.kind, shown, slices.Concat(l.keep, l.extra.get(), l.kind.List.Filters)...)
	unmark(l.kind, seen)
	raw, err := json.Marshal(seen)
	if err != nil {
		return mirror.Item{}, fmt.Errorf("encoding a %s: %w", l.kind.Name, err)
	}
	var h maphash.Hash
	h.SetSeed(l.seed)
	_, _ = h.WriteString(marker)
	_, _ = h.Write(raw)
	owner, cluster := marker, ""
	if l.kind.Marker.Channel != d.MarkByID {
		owner, cluster = parse(marker)
	}
	return mirror.Item{ID: identity(l.kind, shown), Marker: owner, Cluster: cluster, Hash: h.Sum64(), Raw: raw}, nil
}

// unmark takes the marker out of tags and metadata, which people did not declare.
func unmark(k *d.Kind, seen map[string]any) {
	switch k.Marker.Channel {
	case d.MarkByExtra:
		delete(seen, k.Marker.Field)
	case d.MarkByMetadata:
		if m, ok := seen[k.Marker.Field].(map[string]any); ok {
			rest := maps.Clone(m)
			delete(rest, markerKey)
			seen[k.Marker.Field] = rest
		}
	case d.MarkByTag, d.MarkByTagLater:
		if tags, ok := seen[k.Marker.Field].([]any); ok {
			seen[k.Marker.Field] = slices.DeleteFunc(slices.Clone(tags), func(t any) bool { return tagged(t) != "" })
		}
	}
}

// sign is what a resource carries: the marker of its object, and the cluster that the object is in when that is known.
func sign(marker, cluster string) string {
	if marker == "" || cluster == "" {
		return marker
	}
	return marker + "." + cluster
}

// parse is the reverse of sign. Resources that were made before clusters were named have a marker alone.
func parse(signed string) (marker, cluster string) {
	marker, cluster, _ = strings.Cut(signed, ".")
	return marker, cluster
}

// tagged is what a tag or a description carries.
func tagged(v any) string {
	s, _ := v.(string)
	if marker, ok := strings.CutPrefix(s, markerKey+"="); ok {
		return marker
	}
	return ""
}

// markerIn returns what a resource carries, as it is.
func markerIn(k *d.Kind, seen map[string]any) string {
	switch k.Marker.Channel {
	case d.MarkByExtra:
		s, _ := seen[k.Marker.Field].(string)
		return s
	case d.MarkByID:
		return plainID(seen[k.IDField()])
	case d.MarkByMetadata:
		m, _ := seen[k.Marker.Field].(map[string]any)
		s, _ := m[markerKey].(string)
		return s
	case d.MarkByTag, d.MarkByTagLater:
		tags, _ := seen[k.Marker.Field].([]any)
		for _, t := range tags {
			if marker := tagged(t); marker != "" {
				return marker
			}
		}
	}
	if k.Marker.Channel == d.MarkByTagLater {
		return tagged(seen[birthField])
	}
	return ""
}

// markerKey names the marker among metadata and tags.
const markerKey = "stackwright_owner"
