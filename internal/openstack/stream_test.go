package openstack

import (
	"context"
	"errors"
	"io"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
)

// source is data that fails in the middle, as a caller does who gives up.
type source struct {
	io.Reader
	cancel context.CancelFunc
}

var errSource = errors.New("the source has failed")

func (s *source) Read(p []byte) (int, error) {
	n, err := s.Reader.Read(p)
	if errors.Is(err, io.EOF) {
		s.cancel()
		return n, errSource
	}
	return n, err
}

// A stream that breaks off has no end that a server could take for the end of the data, and says nothing about the
// service: other requests go on.
func TestAStreamThatBreaksOff(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := newCloud("cloud.test")
		got := make(chan error, 1)
		c.answer(func(w http.ResponseWriter, r *http.Request) {
			if r.Method == http.MethodPut {
				if r.ContentLength >= 0 {
					t.Errorf("the length of the request is %d, want none", r.ContentLength)
				}
				_, err := io.ReadAll(r.Body)
				got <- err
			}
			status(http.StatusOK, `{}`)(w, r)
		})
		s := open(t, newPool(t, Options{}, c), c.config("alice"))
		for range 3 * breakAfter {
			ctx, cancel := context.WithCancel(t.Context())
			_, err := s.Do(ctx, Request{Service: "network", Method: http.MethodPut, Path: "images/1/file",
				Body: &source{strings.NewReader("half"), cancel}, ContentType: "application/octet-stream"})
			if err == nil {
				t.Error("the upload has succeeded")
			}
			if err := <-got; err == nil {
				t.Error("the server has taken the half for the whole")
			}
		}
		if _, err := s.Do(t.Context(), Request{Service: "network", Path: "networks"}); err != nil {
			t.Errorf("other requests are refused: %v", err)
		}
	})
}

// Streams that take hours leave the places of other requests free.
func TestStreamsStandAside(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := newCloud("cloud.test")
		c.answer(func(w http.ResponseWriter, r *http.Request) {
			_, _ = io.ReadAll(r.Body)
			status(http.StatusOK, `{}`)(w, r)
		})
		config := c.config("alice")
		config.Limits = Limits{"": {Rate: 100, Parallel: 1}}
		s := open(t, newPool(t, Options{}, c), config)
		here, there := io.Pipe()
		done := make(chan error, 1)
		go func() {
			_, err := s.Do(t.Context(), Request{Service: "network", Method: http.MethodPut, Path: "images/1/file", Body: here,
				ContentType: "application/octet-stream"})
			done <- err
		}()
		synctest.Wait()
		if _, err := s.Do(t.Context(), Request{Service: "network", Path: "networks"}); err != nil {
			t.Error(err)
		}
		_ = there.Close()
		if err := <-done; err != nil {
			t.Error(err)
		}
	})
}
