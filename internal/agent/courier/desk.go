package courier

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"stackwright.dev/stackwright/internal/agent"
)

// desk is where Nova asks: for one thing, with the names of the other host and of files as Nova has them.
type desk struct {
	config       Config
	root         *os.Root
	certificates *agent.Certificates
}

func (d desk) handler() http.Handler {
	mux := http.NewServeMux()
	for order, what := range map[string]string{"make-folder": "PUT /folders/", "remove-folder": "DELETE /folders/",
		"make-file": "POST /files/", "remove-file": "DELETE /files/", "carry": "PUT /files/"} {
		mux.HandleFunc("POST /"+order, func(w http.ResponseWriter, r *http.Request) {
			if err := d.order(r.Context(), what, r.URL.Query()); err != nil {
				http.Error(w, err.Error(), http.StatusBadGateway)
			}
		})
	}
	return mux
}

// order has another courier do what Nova asks for.
func (d desk) order(ctx context.Context, what string, q url.Values) error {
	to, err := d.relative(q.Get("path"))
	if err != nil {
		return err
	}
	method, place, _ := strings.Cut(what, " ")
	u := url.URL{Scheme: "https", Host: net.JoinHostPort(q.Get("host"), strconv.Itoa(d.config.Port)), Path: place + to}
	r, err := http.NewRequestWithContext(ctx, method, u.String(), nil)
	if err != nil {
		return fmt.Errorf("asking the courier of host %s: %w", q.Get("host"), err)
	}
	if q.Has("source") {
		f, err := d.load(r, q.Get("source"))
		if err != nil {
			return err
		}
		defer f.Close()
	}
	return d.ask(r)
}

// relative is the name of a file in the folder of servers.
func (d desk) relative(name string) (string, error) {
	out, err := filepath.Rel(d.config.Folder, name)
	if err != nil || !folder.MatchString(out) {
		return "", fmt.Errorf("%q is in no folder of a server", name)
	}
	return out, nil
}

// load gives a file with the request.
func (d desk) load(r *http.Request, source string) (*os.File, error) {
	name, err := d.relative(source)
	if err != nil {
		return nil, err
	}
	f, err := d.root.Open(name)
	if err != nil {
		return nil, fmt.Errorf("opening a file to carry: %w", err)
	}
	info, err := f.Stat()
	if err == nil && !info.Mode().IsRegular() {
		err = errors.New("it is no file")
	}
	if err != nil {
		return nil, errors.Join(fmt.Errorf("carrying %s: %w", source, err), f.Close())
	}
	r.ContentLength = info.Size()
	if r.ContentLength > 0 {
		r.Body = io.NopCloser(f)
	}
	return f, nil
}

// ask uses no connection twice: certificates may have changed.
func (d desk) ask(r *http.Request) error {
	c, err := d.certificates.Client()
	if err != nil {
		return err
	}
	dial := &net.Dialer{Timeout: 5 * time.Second}
	t := &http.Transport{TLSClientConfig: c, DialContext: dial.DialContext, TLSHandshakeTimeout: 5 * time.Second}
	defer t.CloseIdleConnections()
	res, err := t.RoundTrip(r)
	if err != nil {
		return fmt.Errorf("asking the courier of host %s: %w", r.URL.Host, err)
	}
	defer res.Body.Close()
	said, err := io.ReadAll(io.LimitReader(res.Body, 4096))
	if err == nil && res.StatusCode != http.StatusOK {
		err = fmt.Errorf("the courier of host %s says: %s", r.URL.Host, strings.TrimSpace(string(said)))
	}
	return err
}
