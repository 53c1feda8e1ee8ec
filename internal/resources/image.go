package resources

import (
	"context"
	"net/http"
	"slices"
	"strconv"
	"time"

	"stackwright.dev/kit/outcome"

	"stackwright.dev/stackwright/internal/openstack"
	"stackwright.dev/stackwright/internal/resources/body"
	"stackwright.dev/stackwright/internal/resources/fetch"
	"stackwright.dev/stackwright/internal/resources/mirror"
)

// hookImage is the hook of images: one that was made is queued until it has data, which the cloud fetches or this
// process uploads.
const hookImage = "image"

// What Glance shows of an import. It holds the lock from the request until the end. It writes both lists when it
// begins, and leaves them there, empty in clouds with one store: who sees them on an image that is queued without the
// lock sees an import that has failed.
const (
	importLock   = "os_glance_import_task"
	importStores = "os_glance_importing_to_stores"
	importFailed = "os_glance_failed_import"
)

// States of an image without data. Glance sets it back to queued when an upload or an import ends early.
const (
	imageQueued    = "queued"
	imageSaving    = "saving"
	imageImporting = "importing"
)

// filling brings data to an image.
type filling struct {
	*controller
	object object
	target *target
	cloud  *cloud
	source fetch.Source
	upload *upload
	// id, state and properties of the image, and the outcome that the state has by itself.
	id, state  string
	properties map[string]any
	out        *outcome.Outcome
}

// fill sees to the data of an image that waits for it. It returns what takes the place of the outcome that follows from
// the image's state, and what the mirror has to look out for.
func (c *controller) fill(ctx context.Context, sc *scope, t *target, p policy, out *outcome.Outcome) (
	*outcome.Outcome, mirror.Pending) {
	o := sc.Owner()
	if out == nil || out.State != outcome.StateWaiting {
		c.uploads.drop(o.GetUID())
		return out, waitsFor(out)
	}
	id := bare(t.kind, sc.Cell().ID)
	seen, _, err := t.see(id)
	if err != nil {
		return outcome.FromError(err), mirror.Steady
	}
	state, _ := seen[t.kind.State.Path].(string)
	source, declared := sourceOf(t.wanted)
	if !declared && state == imageQueued {
		return outcome.Poll(5*time.Minute, "the data of the image",
			"The Image %s is in state queued; upload its data.", id), mirror.Lacking
	}
	// An image without our marker is not ours: who has made it brings its data.
	if i, _ := t.mirror.Get(id); !declared || !p.create || i.Marker != t.marker {
		return out, waitsFor(out)
	}
	cl, missing := c.engine.cloudOf(sc)
	if missing != nil {
		return missing, mirror.Steady
	}
	source.Limit = cl.largest()
	f := &filling{controller: c, object: o, target: t, cloud: cl, source: source, id: id, state: state, out: out}
	f.properties, _ = seen["properties"].(map[string]any)
	f.upload = c.uploads.of(o.GetUID(), id, source.URL)
	return f.next(ctx)
}

// sourceOf is where the data of an image comes from.
func sourceOf(wanted map[string]any) (fetch.Source, bool) {
	content, _ := wanted["content"].(map[string]any)
	download, ok := content["download"].(map[string]any)
	text := func(path string) string { s, _ := body.At(download, path).(string); return s }
	return fetch.Source{URL: text("url"), Packed: text("decompress"), Algorithm: text("hash.algorithm"),
		Sum: text("hash.value")}, ok
}

// next is the next step on the way to the data.
func (f *filling) next(ctx context.Context) (*outcome.Outcome, mirror.Pending) {
	word, running := f.upload.progress(time.Now())
	_, locked := f.properties[importLock]
	switch {
	case running:
		return outcome.Poll(progressEvery, "the data of the image", "%s", word), mirror.Steady
	case f.upload.complete():
		// The list is older than the upload.
		f.uploads.drop(f.object.GetUID())
		return outcome.Poll(quick, "the data of the image", "The Image %s has its data; wait until the cloud shows it.",
			f.id), mirror.Changing
	case f.state == imageImporting, locked && f.state == imageQueued:
		return f.fetched(5 * time.Minute), mirror.Changing
	}
	if out := f.upload.trouble(f.cloud.allows()); out != nil {
		if f.state == imageQueued {
			return out, mirror.Steady
		}
		return out, mirror.Changing
	}
	switch f.state {
	case imageQueued:
		return f.begin(ctx)
	case imageSaving:
		return f.broken(ctx), mirror.Steady
	}
	return f.out, waitsFor(f.out)
}

// importPatience is how long nobody is told that an import does not end: much data takes its time.
const importPatience = 30 * time.Minute

// fetched waits for the cloud, which reads the data itself. Glance gives a source that does not answer no limit, shows
// no progress while it reads, and lets an import that has begun not be ended but with the image.
func (f *filling) fetched(again time.Duration) *outcome.Outcome {
	const what = "the data of the image"
	if f.upload.fetched(time.Now()) < importPatience {
		return outcome.Poll(again, what, "The cloud fetches the data of the Image %s; wait, or see the log of service image "+
			"if it does not end.", f.id)
	}
	out := outcome.Poll(again, what, "The cloud has been fetching the data of the Image %s for more than %d minutes, and "+
		"sets no limit to a source that does not answer. See whether spec.resource.content.download.url does, and the log "+
		"of service image; wait if there is just much data. Otherwise delete the image in the cloud, and it is made again; "+
		"with a hash beside the url the operator brings the data, and tells how far it is.",
		f.id, int(importPatience.Minutes()))
	out.Reason = "ImportDoesNotEnd"
	return out
}

// broken waits until Glance has noticed that an earlier process does not upload any more. It does not when it was
// killed itself.
func (f *filling) broken(ctx context.Context) *outcome.Outcome {
	if _, _, err := f.target.ask(ctx, f.id); err != nil {
		return failed(err)
	}
	return outcome.Poll(30*time.Second, "the data of the image",
		"Waits until the cloud has noticed that an upload broke off: the Image %s is in state saving. "+
			"If it stays so, delete the image in the cloud, and it is made again.", f.id)
}

// begin lets the cloud fetch the data when it can, and else uploads it.
func (f *filling) begin(ctx context.Context) (*outcome.Outcome, mirror.Pending) {
	plain := f.source.Packed == "" && f.source.Sum == "" && !fetch.Private(f.source.URL)
	switch asked := f.upload.asked(); {
	case !plain || f.upload.refused():
	case f.imported():
		f.upload.refuse(true)
	case !asked.IsZero() && time.Since(asked) < importShows:
		return f.fetched(quick), mirror.Changing
	case !asked.IsZero():
		f.upload.refuse(true) // it shows no lock
	default:
		return f.ask(ctx)
	}
	f.start()
	word, _ := f.upload.progress(time.Now())
	return outcome.Poll(progressEvery, "the data of the image", "%s", word), mirror.Steady
}

// importShows is the time in which an import that was asked for shows on the image.
const importShows = time.Minute

// imported tells whether an import has ended without data.
func (f *filling) imported() bool {
	_, stores := f.properties[importStores]
	_, failures := f.properties[importFailed]
	return stores || failures
}

// ask lets the cloud fetch the data, if it offers that.
func (f *filling) ask(ctx context.Context) (*outcome.Outcome, mirror.Pending) {
	offered, err := f.offered(ctx)
	if err != nil {
		return failed(err), mirror.Steady
	}
	if !offered {
		f.upload.refuse(false)
		return f.begin(ctx)
	}
	looking, cancel := context.WithTimeout(ctx, lookupTimeout)
	defer cancel()
	if err := f.engine.Internet.Check(looking, f.source.URL, f.cloud.guard()); err != nil {
		f.upload.end(err, f.cloud.allows())
		return f.upload.trouble(f.cloud.allows()), mirror.Steady
	}
	path, err := f.target.path(f.id)
	if err != nil {
		return outcome.FromError(err), mirror.Steady
	}
	_, err = f.target.request(ctx, asked{path: path + "/import",
		in: map[string]any{"method": map[string]any{"name": webDownload, "uri": f.source.URL}}})
	switch class := openstack.ClassOf(err); {
	case err == nil:
		f.upload.ask(time.Now())
	case class == openstack.Conflict: // it is being imported, or has data
	case class == openstack.Invalid, class == openstack.Auth:
		f.upload.refuse(false) // the cloud has a filter of its own for addresses
		return f.begin(ctx)
	default:
		return failed(err), mirror.Changing
	}
	if _, _, err := f.target.ask(ctx, f.id); err != nil {
		return failed(err), mirror.Changing
	}
	return f.fetched(quick), mirror.Changing
}

const (
	webDownload   = "web-download"
	lookupTimeout = 10 * time.Second
)

// offered tells whether the cloud fetches data from addresses.
func (f *filling) offered(ctx context.Context) (bool, error) {
	answer, err := f.target.request(ctx, asked{method: http.MethodGet, path: "/info/import"})
	if ignoreAbsent(err) != nil {
		return false, err
	}
	methods, _ := body.At(answer, "import-methods.value").([]any)
	return slices.Contains(methods, any(webDownload)), nil
}

// guard checks addresses of data.
func (c *cloud) guard() fetch.Guard {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.terms.guard
}

// largest is how much data of an image may have.
func (c *cloud) largest() int64 {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.terms.largest
}

// allows says what data may come: from which hosts although they are private, and how much.
func (c *cloud) allows() []string {
	c.mu.Lock()
	defer c.mu.Unlock()
	return append(slices.Clone(c.terms.sources), strconv.FormatInt(c.terms.largest, 10))
}
