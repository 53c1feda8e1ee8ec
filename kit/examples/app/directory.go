package app

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strconv"
	"time"

	"stackwright.dev/kit/external"
	"stackwright.dev/kit/outcome"
)

// Account is what the directory service keeps.
type Account struct {
	ID     string `json:"id,omitempty"`
	Name   string `json:"name"`
	Marker string `json:"marker,omitempty"`
}

// Directory is the client of the directory service: GET, POST /accounts and GET, PUT, DELETE /accounts/ID.
type Directory struct {
	URL  string
	HTTP *http.Client
}

var _ external.Client[Account, Account] = (*Directory)(nil)

// Observe looks at an account.
func (d *Directory) Observe(ctx context.Context, id string, want Account) (external.Observation[Account], error) {
	var got Account
	status, err := d.do(ctx, http.MethodGet, "/accounts/"+url.PathEscape(id), nil, &got)
	if err != nil || status == http.StatusNotFound {
		return external.Observation[Account]{}, err
	}
	o := external.Observation[Account]{State: external.Ready, Output: got}
	if got.Name != want.Name {
		o.Diff = []string{"name"}
	}
	return o, nil
}

// Find lists the accounts that carry the marker.
func (d *Directory) Find(ctx context.Context, m external.Marker, _ Account) ([]string, error) {
	var all []Account
	if _, err := d.do(ctx, http.MethodGet, "/accounts", nil, &all); err != nil {
		return nil, err
	}
	var ids []string
	for _, a := range all {
		if a.Marker == string(m) {
			ids = append(ids, a.ID)
		}
	}
	return ids, nil
}

// Create makes an account with the marker on it.
func (d *Directory) Create(ctx context.Context, m external.Marker, want Account) (string, error) {
	want.Marker = string(m)
	var got Account
	_, err := d.do(ctx, http.MethodPost, "/accounts", want, &got)
	return got.ID, err
}

// Update renames an account.
func (d *Directory) Update(ctx context.Context, id string, want Account, _ []string) error {
	_, err := d.do(ctx, http.MethodPut, "/accounts/"+url.PathEscape(id), want, nil)
	return err
}

// Delete removes an account; one that is gone is fine.
func (d *Directory) Delete(ctx context.Context, id string) error {
	_, err := d.do(ctx, http.MethodDelete, "/accounts/"+url.PathEscape(id), nil, nil)
	return err
}

// do sends one request. 404 is no error; other failures carry a class.
func (d *Directory) do(ctx context.Context, method, path string, in, out any) (int, error) {
	var body io.Reader
	if in != nil {
		raw, err := json.Marshal(in)
		if err != nil {
			return 0, fmt.Errorf("encoding a request: %w", err)
		}
		body = bytes.NewReader(raw)
	}
	req, err := http.NewRequestWithContext(ctx, method, d.URL+path, body)
	if err != nil {
		return 0, outcome.Invalidf("directory URL %q is not usable: %w", d.URL, err)
	}
	res, err := d.HTTP.Do(req)
	if err != nil {
		return 0, &outcome.Error{Class: outcome.Unavailable, Err: fmt.Errorf("asking the directory: %w", err)}
	}
	defer func() { _ = res.Body.Close() }()
	if err := failure(res); err != nil {
		return res.StatusCode, err
	}
	if out == nil || res.StatusCode == http.StatusNotFound {
		return res.StatusCode, nil
	}
	if err := json.NewDecoder(res.Body).Decode(out); err != nil {
		return res.StatusCode, fmt.Errorf("reading the directory's answer: %w", err)
	}
	return res.StatusCode, nil
}

func failure(res *http.Response) error {
	e := &outcome.Error{Err: fmt.Errorf("the directory answered %s", res.Status)}
	if s, err := strconv.Atoi(res.Header.Get("Retry-After")); err == nil {
		e.RetryAfter = time.Duration(s) * time.Second
	}
	switch c := res.StatusCode; {
	case c < 300, c == http.StatusNotFound:
		return nil
	case c == http.StatusTooManyRequests:
		e.Class = outcome.RateLimited
	case c == http.StatusUnauthorized, c == http.StatusForbidden:
		e.Class = outcome.Denied
	case c == http.StatusConflict:
		e.Class = outcome.Conflict
	case c >= 500:
		e.Class = outcome.Unavailable
	default:
		e.Class = outcome.Invalid
	}
	return e
}
