package app

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
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

// classes say what kind of failure an answer is; what kind others are nobody knows.
var classes = map[int]outcome.Class{
	http.StatusBadRequest: outcome.Invalid, http.StatusUnprocessableEntity: outcome.Invalid,
	http.StatusUnauthorized: outcome.Denied, http.StatusForbidden: outcome.Denied,
	http.StatusConflict: outcome.Conflict, http.StatusTooManyRequests: outcome.RateLimited,
	http.StatusInternalServerError: outcome.Unavailable, http.StatusBadGateway: outcome.Unavailable,
	http.StatusServiceUnavailable: outcome.Unavailable, http.StatusGatewayTimeout: outcome.Unavailable,
}

// Observe looks at an account.
func (d *Directory) Observe(ctx context.Context, id string, want Account) (o external.Observation[Account], err error) {
	found, err := d.do(ctx, http.MethodGet, id, nil, &o.Output)
	if err != nil || !found {
		return o, err
	}
	o.State = external.Ready
	if o.Output.Name != want.Name {
		o.Diff = []string{"name"}
	}
	return o, nil
}

// Find lists the accounts that carry the marker.
func (d *Directory) Find(ctx context.Context, m external.Marker, _ Account) (ids []string, err error) {
	var all []Account
	_, err = d.do(ctx, http.MethodGet, "", nil, &all)
	for _, a := range all {
		if a.Marker == string(m) {
			ids = append(ids, a.ID)
		}
	}
	return ids, err
}

// Create makes an account with the marker on it.
func (d *Directory) Create(ctx context.Context, m external.Marker, want Account) (string, error) {
	want.Marker = string(m)
	var got Account
	_, err := d.do(ctx, http.MethodPost, "", want, &got)
	return got.ID, err
}

// Update renames an account.
func (d *Directory) Update(ctx context.Context, id string, want Account, _ []string) error {
	_, err := d.do(ctx, http.MethodPut, id, want, nil)
	return err
}

// Delete removes an account; one that is gone is fine.
func (d *Directory) Delete(ctx context.Context, id string) error {
	_, err := d.do(ctx, http.MethodDelete, id, nil, nil)
	return err
}

// do sends one request about an account, or about all. That there is none is no error; failures carry a class.
func (d *Directory) do(ctx context.Context, method, id string, in, out any) (found bool, err error) {
	body := &bytes.Buffer{}
	if in != nil {
		err = json.NewEncoder(body).Encode(in)
	}
	where, invalid := url.JoinPath(d.URL, "accounts", url.PathEscape(id))
	req, also := http.NewRequestWithContext(ctx, method, where, body)
	if err := errors.Join(err, invalid, also); err != nil {
		return false, outcome.Invalidf("asking the directory at %q: %w; correct spec.directory", d.URL, err)
	}
	res, err := d.HTTP.Do(req)
	if err != nil {
		return false, &outcome.Error{Class: outcome.Unavailable, Err: fmt.Errorf("asking the directory: %w; start it", err)}
	}
	defer func() { _ = res.Body.Close() }()
	switch {
	case res.StatusCode == http.StatusNotFound:
		return false, nil
	case res.StatusCode >= 300:
		pause, _ := strconv.Atoi(res.Header.Get("Retry-After")) // none is none
		return false, &outcome.Error{Class: classes[res.StatusCode], RetryAfter: time.Duration(pause) * time.Second,
			Err: fmt.Errorf("the directory answered %s; see its log", res.Status)}
	case out != nil:
		err = json.NewDecoder(res.Body).Decode(out)
	}
	return true, err
}
