package resources

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"k8s.io/apimachinery/pkg/types"

	"stackwright.dev/kit/outcome"

	"stackwright.dev/stackwright/internal/openstack"
	"stackwright.dev/stackwright/internal/resources/fetch"
)

const (
	// parallelUploads to one cloud go through the operator at a time.
	parallelUploads = 2
	// progressEvery is how often the progress of an upload is told.
	progressEvery = 10 * time.Second
	// cloudPatience is how long a cloud may take no data, or store what it has got.
	cloudPatience = 10 * time.Minute
	// longestUpload is more than any takes that goes on.
	longestUpload = 7 * 24 * time.Hour
	// uploadAgain is the longest pause between two tries.
	uploadAgain = time.Hour
)

// uploads are the uploads of a controller, by object. What they know is lost with the process; then the state of the
// images tells where to begin.
type uploads struct {
	mu  sync.Mutex
	all map[types.UID]*upload
}

// of returns the upload of data to an image; one to another image, or from another address, ends.
func (u *uploads) of(uid types.UID, image, url string) *upload {
	u.mu.Lock()
	defer u.mu.Unlock()
	have := u.all[uid]
	if have != nil && have.image == image && have.url == url {
		return have
	}
	if have != nil {
		have.stop()
	}
	if u.all == nil {
		u.all = map[types.UID]*upload{}
	}
	u.all[uid] = &upload{image: image, url: url}
	return u.all[uid]
}

// drop ends the upload of an object.
func (u *uploads) drop(uid types.UID) {
	u.mu.Lock()
	defer u.mu.Unlock()
	if have := u.all[uid]; have != nil {
		have.stop()
		delete(u.all, uid)
	}
}

// upload is the way of data to an image.
type upload struct {
	image, url string

	mu sync.Mutex
	// imported is when the cloud was asked to fetch the data, without tells that it does not, and tried that it could not.
	imported       time.Time
	without, tried bool
	// seen is when this process saw first that the cloud fetches the data.
	seen time.Time
	// cancel is there while the upload runs, turn tells that it is its turn, data is there once it flows, and word is what
	// was told last.
	cancel context.CancelFunc
	turn   bool
	data   *fetch.Data
	word   string
	told   time.Time
	// done tells that all was uploaded, err why the last try was not, with what the cloud allowed then.
	done    bool
	err     error
	allowed []string
	tries   int
	again   time.Time
}

func (u *upload) asked() time.Time {
	u.mu.Lock()
	defer u.mu.Unlock()
	return u.imported
}

func (u *upload) ask(at time.Time) {
	u.mu.Lock()
	defer u.mu.Unlock()
	u.imported = at
}

// fetched is for how long the cloud has been fetching the data, as far as this process knows.
func (u *upload) fetched(now time.Time) time.Duration {
	u.mu.Lock()
	defer u.mu.Unlock()
	if u.seen.IsZero() {
		u.seen = now
	}
	return now.Sub(u.seen)
}

func (u *upload) refused() bool {
	u.mu.Lock()
	defer u.mu.Unlock()
	return u.without
}

// refuse notes that the cloud does not fetch the data, also when it has tried.
func (u *upload) refuse(tried bool) {
	u.mu.Lock()
	defer u.mu.Unlock()
	u.without, u.tried = true, tried
}

func (u *upload) begin(cancel context.CancelFunc) {
	u.mu.Lock()
	defer u.mu.Unlock()
	u.cancel, u.turn, u.data, u.told, u.err = cancel, false, nil, time.Time{}, nil
}

func (u *upload) stop() {
	u.mu.Lock()
	defer u.mu.Unlock()
	if u.cancel != nil {
		u.cancel()
	}
}

// flows notes that it is the upload's turn, and later that its data has begun to come.
func (u *upload) flows(d *fetch.Data) {
	u.mu.Lock()
	defer u.mu.Unlock()
	u.turn, u.data, u.told = true, d, time.Time{}
}

// end notes how a try has ended. One that was cancelled does not count.
func (u *upload) end(err error, allowed []string) {
	u.mu.Lock()
	defer u.mu.Unlock()
	u.cancel = nil
	if errors.Is(err, context.Canceled) {
		return
	}
	u.done, u.err, u.allowed = err == nil, err, allowed
	pause := min(time.Minute<<min(u.tries, 10), uploadAgain)
	if f, ok := errors.AsType[*fetch.Failure](err); ok && f.Lasting {
		pause = uploadAgain
	}
	u.tries++
	u.again = time.Now().Add(pause)
}

func (u *upload) complete() bool {
	u.mu.Lock()
	defer u.mu.Unlock()
	return u.done
}

// progress is a sentence on an upload that runs. It changes at most every few seconds: each change is written to the
// status.
func (u *upload) progress(now time.Time) (string, bool) {
	u.mu.Lock()
	defer u.mu.Unlock()
	if u.cancel == nil {
		return "", false
	}
	if now.Sub(u.told) < progressEvery {
		return u.word, true
	}
	u.told = now
	switch {
	case !u.turn:
		u.word = "The Image has no data yet; wait until other uploads to the cloud are done."
	case u.data == nil:
		u.word = "The Image has no data yet; wait until its source answers, or see spec.resource.content."
	case u.data.Total() < 0:
		u.word = "The data of the Image is uploaded; wait: " + size(u.data.Done()) + "."
	default:
		u.word = "The data of the Image is uploaded; wait: " + size(u.data.Done()) + " of " + size(u.data.Total()) + "."
	}
	return u.word, true
}

func size(n int64) string {
	if n < 1<<20 {
		return strconv.FormatInt(n>>10, 10) + " KiB"
	}
	return strconv.FormatInt(n>>20, 10) + " MiB"
}

// trouble tells why the last try has failed, until it is time for the next one. When the cloud allows something else,
// that is a reason to try at once.
func (u *upload) trouble(allowed []string) *outcome.Outcome {
	u.mu.Lock()
	defer u.mu.Unlock()
	wait := time.Until(u.again)
	if u.err == nil || wait <= 0 || !slices.Equal(u.allowed, allowed) {
		return nil
	}
	reason, message := explain(u.err)
	if u.tried {
		message += " The cloud could not fetch it, either."
	}
	out := outcome.Poll(wait, "the data of the image", "%s", message)
	out.Reason = reason
	return out
}

// explain tells people of an error: the reason of a condition, and a sentence.
func explain(err error) (reason, message string) {
	if f, ok := errors.AsType[*fetch.Failure](err); ok {
		return f.Reason, f.Message
	}
	out := failed(err)
	return cmp.Or(out.Reason, out.Class.String()), "Uploading the data of the Image failed: " +
		strings.TrimSuffix(out.Message, ".") + ". It is tried again."
}

// start uploads in the background until that is done, fails, or the session with the cloud ends.
func (f *filling) start() {
	ctx, cancel := context.WithCancel(f.cloud.ctx)
	f.upload.begin(cancel)
	wake := f.waker(f.object)
	go func() {
		defer cancel()
		f.upload.end(f.send(ctx, cancel), f.cloud.allows())
		wake()
	}()
}

func (f *filling) send(ctx context.Context, cancel context.CancelFunc) error {
	select {
	case f.cloud.slots <- struct{}{}:
		defer func() { <-f.cloud.slots }()
	case <-ctx.Done():
		return ctx.Err()
	}
	f.upload.flows(nil)
	data, err := f.engine.Internet.Open(ctx, f.source, f.cloud.guard())
	if err != nil {
		return err
	}
	defer data.Close()
	f.upload.flows(data)
	path, err := f.target.path(f.id)
	if err != nil {
		return err
	}
	flow := newFlow(data, cancel)
	defer flow.idle.Stop()
	r := openstack.Request{Service: f.target.kind.Service, Lane: openstack.Urgent, Owner: f.target.owner,
		Method: http.MethodPut, Path: path + "/file", Body: flow, ContentType: "application/octet-stream",
		Timeout: longestUpload}
	if n := data.Size(); n >= 0 {
		// Some stores make room for an image at once when they know its size. The length of the request stays unknown:
		// servers take a request of a known length that breaks off for a whole one.
		r.Header = http.Header{"X-Openstack-Image-Size": {strconv.FormatInt(n, 10)}}
	}
	_, err = f.target.door.Do(ctx, r)
	if broken := flow.failure(); broken != nil {
		err = broken
	}
	// An error leaves the list to tell of the state.
	_, _, _ = f.target.ask(f.cloud.ctx, f.id)
	return err
}

// flow is the data on its way from the source to the cloud. It ends the request when the source fails: Glance sets an
// image back to queued when the end of its data is missing.
type flow struct {
	data   *fetch.Data
	cancel context.CancelFunc
	idle   *time.Timer

	mu  sync.Mutex
	err error
}

func newFlow(d *fetch.Data, cancel context.CancelFunc) *flow {
	f := &flow{data: d, cancel: cancel}
	f.idle = time.AfterFunc(cloudPatience, func() {
		f.fail(fmt.Errorf("the cloud has taken nothing for %s", cloudPatience))
	})
	return f
}

// Read implements io.Reader.
func (f *flow) Read(p []byte) (int, error) {
	f.idle.Stop() // fetch has a patience of its own
	n, err := f.data.Read(p)
	f.idle.Reset(cloudPatience)
	if err != nil && !errors.Is(err, io.EOF) {
		f.fail(err)
	}
	return n, err
}

func (f *flow) fail(err error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.err == nil {
		f.err = err
		f.cancel()
	}
}

func (f *flow) failure() error {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.err
}
