package openstack

import (
	"cmp"
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"strconv"
	"time"

	"stackwright.dev/stackwright/internal/reach"
)

// send lets a call through its gate, once.
func (p *Pool) send(ctx context.Context, g *gate, t http.RoundTripper, c *call) (*Response, error) {
	c.memory = p.memory
	queued := time.Now()
	ticket, err := g.enter(ctx, c.lane, c.owner)
	p.metrics.queued(c, time.Since(queued))
	if err != nil {
		return nil, c.named(err)
	}
	var v verdict // Silent, should what follows panic.
	defer func() {
		g.leave(ticket, v)
		p.metrics.breaker(c, g.closed())
	}()
	sent := time.Now()
	res, err := c.exchange(ctx, t)
	p.metrics.sent(c, codeOf(res, err), time.Since(sent))
	v = judge(err)
	return res, err
}

// named tells a fault of the gate which request it hit.
func (c *call) named(err error) error {
	if f, ok := errors.AsType[*Fault](err); ok {
		f.Service, f.Method, f.Path = c.service, c.method, c.path
	}
	return err
}

func codeOf(res *Response, err error) int {
	if f, ok := errors.AsType[*Fault](err); ok {
		return f.Code
	}
	return res.Code
}

// judge says what an exchange tells about the service.
func judge(err error) verdict {
	f, ok := errors.AsType[*Fault](err)
	if !ok {
		return verdict{kind: answered}
	}
	v := verdict{kind: answered, reason: f.Message}
	switch {
	case f.trust || errors.Is(f, context.Canceled):
		v.kind = silent
	case f.Class == Unavailable && f.Code != http.StatusNotFound:
		v.kind = failed
	case f.Class == RateLimited:
		v.kind = pushed
	}
	v.pause = f.RetryAfter
	return v
}

// exchange sends the call and reads the answer. Redirects are not followed: they would take the token to another
// host.
func (c *call) exchange(parent context.Context, t http.RoundTripper) (*Response, error) {
	ctx, cancel := context.WithTimeout(parent, c.timeout)
	defer cancel()
	ctx, stop := context.WithCancelCause(ctx)
	defer stop(nil)
	req, err := http.NewRequestWithContext(ctx, c.method, c.url.String(), c.reader())
	if err != nil {
		return nil, refuse("the request %s %s cannot be made; please report it", c.method, c.path)
	}
	// The transport may still read the headers of the first try when a second one changes them.
	req.Header = c.header.Clone()
	res, err := t.RoundTrip(req)
	if err != nil {
		return nil, c.broken(parent, err)
	}
	defer res.Body.Close()
	if redirects(res.StatusCode) || res.StatusCode >= http.StatusBadRequest {
		body, err := io.ReadAll(io.LimitReader(res.Body, small)) // no message is longer
		if err != nil {
			return nil, c.broken(parent, err)
		}
		return nil, c.refused(res, body)
	}
	r := &Response{Code: res.StatusCode, Header: res.Header,
		RequestID: cmp.Or(requestID(res.Header), c.header.Get("X-Openstack-Request-Id"))}
	if err := c.read(ctx, stop, r, res); err != nil {
		r.done()
		if f, ok := errors.AsType[*Fault](err); ok {
			f.cause = context.Cause(parent)
			return nil, f
		}
		return nil, c.broken(parent, err)
	}
	return r, nil
}

func redirects(code int) bool {
	switch code {
	case http.StatusMovedPermanently, http.StatusFound, http.StatusTemporaryRedirect, http.StatusPermanentRedirect:
		return true
	}
	return false
}

func (c *call) fault(class Class, message string) *Fault {
	return &Fault{Class: class, Service: c.service, Method: c.method, Path: c.path, Message: message,
		RequestID: c.header.Get("X-Openstack-Request-Id")}
}

// refused is the fault of an answer.
func (c *call) refused(res *http.Response, body []byte) *Fault {
	text := redact(message(res.StatusCode, body), append(secretsIn(c.body), c.secrets...))
	class, transitional := classify(res.StatusCode, text)
	switch {
	case redirects(res.StatusCode):
		text = "it sends elsewhere, to " + res.Header.Get("Location") + "; correct the address in the catalog"
	case res.StatusCode == http.StatusNotFound && foreign(res.Header):
		class = Unavailable
		text = "no OpenStack service answers at " + c.url.Host + ", but something that says: " + text
	}
	f := c.fault(class, text)
	f.Code, f.Transitional = res.StatusCode, transitional
	if id := requestID(res.Header); id != "" {
		f.RequestID = id
	}
	switch res.StatusCode {
	case http.StatusRequestEntityTooLarge, http.StatusTooManyRequests, http.StatusServiceUnavailable:
		f.RetryAfter = retryAfter(res.Header)
	}
	return f
}

// retryAfter reads seconds or a date; the date is compared with the clock of who wrote it.
func retryAfter(h http.Header) time.Duration {
	text := h.Get("Retry-After")
	if n, err := strconv.Atoi(text); err == nil {
		return min(max(0, time.Duration(min(n, int(longestPause/time.Second)))*time.Second), longestPause)
	}
	at, err := http.ParseTime(text)
	if err != nil {
		return 0
	}
	now, err := http.ParseTime(h.Get("Date"))
	if err != nil {
		now = time.Now()
	}
	return min(max(0, at.Sub(now)), longestPause)
}

// broken is the fault of a request that got no answer.
func (c *call) broken(parent context.Context, err error) *Fault {
	f := c.fault(Unavailable, "")
	f.cause = context.Cause(parent)
	switch {
	case errors.Is(f.cause, context.Canceled):
		f.Message = "the caller gave up"
	case f.cause != nil:
		f.Message = "no answer from " + c.url.Host + " before the caller's time ran out"
	case errors.Is(err, context.DeadlineExceeded):
		f.Message = fmt.Sprintf("no answer from %s within %s", c.url.Host, c.timeout)
	case !c.distrusts(f, err) && !c.own(f, err):
		f.Message = "no answer from " + c.url.Host + ": " + network(err)
	}
	return f
}

// distrusts explains errors of certificates. They tell nothing about the service: other sessions may trust it.
func (c *call) distrusts(f *Fault, err error) bool {
	_, verification := errors.AsType[*tls.CertificateVerificationError](err)
	if !verification {
		return false
	}
	f.trust, f.advised = true, true
	if _, ok := errors.AsType[x509.UnknownAuthorityError](err); ok {
		f.Message = "the certificate of " + c.url.Host + " is signed by nobody who is trusted; " +
			"give its CA beside clouds.yaml"
		return true
	}
	f.Message = "the certificate of " + c.url.Host + " is not good: " + certificate(err)
	return true
}

// own explains addresses that are refused: somebody has to name another.
func (c *call) own(f *Fault, err error) bool {
	o, ok := errors.AsType[*reach.Own](err)
	if ok {
		f.Class, f.advised, f.Message = Invalid, true, o.Of(c.url.Scheme+"://"+c.url.Host).Error()
	}
	return ok
}

// certificate says what is wrong with one, without the time of day that the standard library adds.
func certificate(err error) string {
	if _, ok := errors.AsType[x509.HostnameError](err); ok {
		return "it is for other names; correct them, or the URL"
	}
	if i, ok := errors.AsType[x509.CertificateInvalidError](err); ok && i.Reason == x509.Expired {
		return "it has expired, or is not valid yet; renew it"
	}
	return "it cannot be verified; renew it"
}

// network is the text of an error without what differs each time, such as the port of our end.
func network(err error) string {
	if d, ok := errors.AsType[*net.DNSError](err); ok {
		return "looking up " + d.Name + ": " + d.Err
	}
	if o, ok := errors.AsType[*net.OpError](err); ok {
		return o.Op + ": " + o.Err.Error()
	}
	return err.Error()
}
