package fetch

import (
	"bufio"
	"cmp"
	"context"
	"crypto/md5"  // sums of md5 and sha1 are what some publishers have; they tell broken data
	"crypto/sha1" // as md5
	"crypto/sha256"
	"crypto/sha512"
	"encoding/hex"
	"errors"
	"fmt"
	"hash"
	"io"
	"net/http"
	"net/url"
	"sync/atomic"
	"time"
)

// Source says where data is and what is known of it.
type Source struct {
	URL string
	// Packed is how the data is packed: gz, bz2, xz, or empty.
	Packed string
	// Algorithm and Sum are what the data must have as it is downloaded, before it is unpacked; empty when not known.
	Algorithm, Sum string
	// Limit is as much data as is read at most, packed and unpacked, in place of the package's; 0 for that.
	Limit int64
}

// Data is what is read from a source. Read returns io.EOF only when all was there and the sum was right.
type Data struct {
	source Source
	raw    *raw
	in     *bufio.Reader
	out    io.Reader
	given  int64
	cancel context.CancelCauseFunc
	// part is the memory that unpacking takes.
	part *part
}

// Open asks for the data. The context ends the reading, too.
func (c Client) Open(ctx context.Context, s Source, g Guard) (*Data, error) {
	d, err := c.connect(ctx, s, g)
	if err != nil {
		return nil, err
	}
	memory := needs(s.Packed, d.in)
	if d.part = c.Room.try(memory); d.part == nil {
		// No server waits for hours: it is asked again when there is memory.
		d.Close()
		mine, err := c.Room.wait(ctx, memory)
		if err != nil {
			return nil, err
		}
		if d, err = c.connect(ctx, s, g); err != nil {
			mine.leave()
			return nil, err
		}
		d.part = mine
	}
	if d.out, err = unpack(s.Packed, d.in, memory); err != nil {
		err = d.broken(err)
		d.Close()
		return nil, err
	}
	return d, nil
}

// connect asks for the data and unpacks nothing.
func (c Client) connect(parent context.Context, s Source, g Guard) (*Data, error) {
	u, err := parse(s.URL)
	if err != nil {
		return nil, err
	}
	ctx, cancel := context.WithCancelCause(parent)
	s.Limit = cmp.Or(s.Limit, Limit)
	r := &raw{shown: shown(u), ctx: ctx, sum: sum(s.Algorithm), limit: s.Limit}
	r.watch = time.AfterFunc(patience, func() { cancel(errSilent) })
	if err := r.ask(c.agent(g), u); err != nil {
		r.watch.Stop()
		cancel(err)
		return nil, err
	}
	return &Data{source: s, raw: r, in: bufio.NewReaderSize(r, 1<<16), cancel: cancel}, nil
}

// Total is how much is downloaded, -1 when the server does not say.
func (d *Data) Total() int64 { return d.raw.total }

// Done is how much was downloaded.
func (d *Data) Done() int64 { return d.raw.done.Load() }

// Size is how much Read gives in all, -1 when that is not known.
func (d *Data) Size() int64 {
	if d.source.Packed != "" {
		return -1
	}
	return d.raw.total
}

// Close ends the reading.
func (d *Data) Close() {
	d.raw.watch.Stop()
	d.cancel(context.Canceled)
	d.raw.body.Close()
	if d.part != nil {
		d.part.leave()
	}
}

// Read implements io.Reader.
func (d *Data) Read(p []byte) (n int, err error) {
	defer func() {
		if wrong := recover(); wrong != nil { // decompressors of third parties, on data of anybody
			n, err = 0, d.broken(fmt.Errorf("%v", wrong))
		}
	}()
	if d.part.over() {
		return 0, d.raw.overdue()
	}
	n, err = d.out.Read(p)
	d.given += int64(n)
	switch {
	case d.given > d.source.Limit:
		return n, d.raw.tooLarge()
	case errors.Is(err, io.EOF):
		return n, d.finish()
	case err != nil:
		return n, d.broken(err)
	}
	return n, nil
}

// broken tells what went wrong with the download from what is wrong with the data.
func (d *Data) broken(err error) error {
	if d.raw.err != nil {
		return d.raw.err
	}
	return refused("SourceCorrupt", "The data of %s cannot be unpacked as %s: %v. "+
		"Correct content.download.decompress, or the data.", d.raw.shown, d.source.Packed, err)
}

// finish reads what follows the packed data, which the sum is over, too.
func (d *Data) finish() error {
	if _, err := io.Copy(io.Discard, d.raw); err != nil {
		return err
	}
	switch got := d.raw.digest(); {
	case d.source.Sum != "" && got != d.source.Sum:
		return refused("WrongHash", "The %s sum of the data of %s is %s, and content.download.hash says %s. "+
			"Make the image anew with the right sum, or correct the data.", d.source.Algorithm, d.raw.shown, got, d.source.Sum)
	case d.given == 0:
		return refused("SourceEmpty", "There is no data in %s. Correct the address, or the data.", d.raw.shown)
	}
	return io.EOF
}

func sum(algorithm string) hash.Hash {
	switch algorithm {
	case "md5":
		return md5.New()
	case "sha1":
		return sha1.New()
	case "sha256":
		return sha256.New()
	case "sha512":
		return sha512.New()
	}
	return nil
}

// raw is the data as it is downloaded.
type raw struct {
	shown string
	ctx   context.Context // ends the request
	watch *time.Timer
	body  io.ReadCloser
	total int64
	limit int64
	done  atomic.Int64
	sum   hash.Hash
	// waited is for how long the server was waited for in this window, came what it has sent then.
	waited time.Duration
	came   int64
	// err is what ended the download before its end.
	err error
}

var errSilent = errors.New("nothing was sent")

func (r *raw) ask(client *http.Client, u *url.URL) error {
	req, err := http.NewRequestWithContext(r.ctx, http.MethodGet, u.String(), nil)
	if err != nil {
		return refused("InvalidSource", "The address of the data is no URL. Correct it.")
	}
	req.Header.Set("User-Agent", "stackwright")
	res, err := client.Do(req)
	if err != nil {
		return r.failed(err)
	}
	if res.StatusCode != http.StatusOK {
		res.Body.Close()
		return failed("%s is answered with %d %s. Correct the address, or wait until the data is there.", r.shown,
			res.StatusCode, http.StatusText(res.StatusCode))
	}
	r.watch.Stop()
	r.body, r.total = res.Body, res.ContentLength
	if r.total > r.limit {
		r.body.Close()
		return r.tooLarge()
	}
	return nil
}

// Read implements io.Reader.
func (r *raw) Read(p []byte) (int, error) {
	if r.err != nil {
		return 0, r.err
	}
	r.watch.Reset(patience)
	begin := time.Now()
	n, err := r.body.Read(p)
	r.watch.Stop()
	if err == nil {
		err = r.pace(int64(n), time.Since(begin))
	}
	if r.sum != nil {
		r.sum.Write(p[:n])
	}
	if r.done.Add(int64(n)) > r.limit {
		err = r.tooLarge()
	}
	if err != nil && !errors.Is(err, io.EOF) {
		r.err = r.failed(err)
		return n, r.err
	}
	return n, err
}

// pace gives up a server that drips: one that sends something now and then is not silent.
func (r *raw) pace(n int64, waited time.Duration) error {
	r.came, r.waited = r.came+n, r.waited+waited
	if r.waited < window {
		return nil
	}
	came := r.came
	r.came, r.waited = 0, 0
	if came >= leastBytes {
		return nil
	}
	return &Failure{Reason: "SourceTooSlow", Message: fmt.Sprintf("%s has sent less than %d MiB in %d minutes. "+
		"Name a faster server, or wait until this one is faster.", r.shown, leastBytes>>20, int(window.Minutes()))}
}

// failed is what people are told of an error of the download.
func (r *raw) failed(err error) error {
	if f, ok := errors.AsType[*Failure](err); ok {
		return f
	}
	switch cause := context.Cause(r.ctx); {
	case errors.Is(cause, errSilent):
		return failed("%s has sent nothing for %d seconds. Correct the address, or wait until the server works.", r.shown,
			int(patience.Seconds()))
	case cause != nil:
		return cause
	}
	return failed("Reading %s failed: %s. Correct the address, or wait until the server works.", r.shown, network(err))
}

func (r *raw) digest() string {
	if r.sum == nil {
		return ""
	}
	return hex.EncodeToString(r.sum.Sum(nil))
}

func (r *raw) tooLarge() error {
	return refused("SourceTooLarge", "The data of %s has more than %d GiB. Upload it to the image by hand, or raise "+
		"spec.limits.imageGiB of the cloud.", r.shown, r.limit>>30)
}
