package courier

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"path"
	"regexp"
)

// shelf is what other couriers may do here.
type shelf struct{ root *os.Root }

// folder of a server, or the one that it had before it was told to go, and what is in them.
var folder = regexp.MustCompile(`^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}(_resize)?(/|$)`)

func (s shelf) handler() http.Handler {
	mux := http.NewServeMux()
	mux.Handle("PUT /folders/{path...}", named(func(name string, _ *http.Request) error {
		return s.root.MkdirAll(name, 0o755)
	}))
	mux.Handle("DELETE /folders/{path...}", named(func(name string, _ *http.Request) error {
		return s.root.RemoveAll(name)
	}))
	mux.Handle("POST /files/{path...}", named(func(name string, _ *http.Request) error {
		f, err := s.root.OpenFile(name, os.O_CREATE|os.O_WRONLY, 0o644)
		if err != nil {
			return err
		}
		return f.Close()
	}))
	mux.Handle("DELETE /files/{path...}", named(func(name string, _ *http.Request) error {
		return s.root.Remove(name)
	}))
	mux.Handle("PUT /files/{path...}", named(func(name string, r *http.Request) error {
		return s.put(name, r.Body, r.ContentLength)
	}))
	return mux
}

// named refuses what is not about a server's folder.
func named(act func(name string, r *http.Request) error) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		name := path.Clean(r.PathValue("path"))
		if !folder.MatchString(name) {
			http.Error(w, fmt.Sprintf("%q is in no folder of a server", name), http.StatusForbidden)
			return
		}
		if err := act(name, r); err != nil {
			http.Error(w, err.Error(), http.StatusConflict)
		}
	})
}

// put makes a file, which is all there or not at all.
func (s shelf) put(name string, from io.Reader, size int64) error {
	part := name + ".part"
	f, err := s.root.OpenFile(part, os.O_CREATE|os.O_TRUNC|os.O_WRONLY, 0o644)
	if err != nil {
		return err
	}
	got, err := spread(f, from)
	if err == nil && got != size {
		err = fmt.Errorf("writing %s: %d bytes came, want %d", name, got, size)
	}
	if err == nil {
		err = f.Sync()
	}
	if err = errors.Join(err, f.Close()); err == nil {
		err = s.root.Rename(part, name)
	}
	if err != nil {
		return errors.Join(err, s.root.Remove(part))
	}
	return nil
}

const blockSize = 64 << 10

// spread writes a file and leaves out what is nothing but zeros: disks are mostly empty.
func spread(to *os.File, from io.Reader) (int64, error) {
	block, none := make([]byte, blockSize), make([]byte, blockSize)
	var size int64
	for {
		n, err := io.ReadFull(from, block)
		if n > 0 && !bytes.Equal(block[:n], none[:n]) {
			if _, err := to.WriteAt(block[:n], size); err != nil {
				return size, fmt.Errorf("writing a file: %w", err)
			}
		}
		size += int64(n)
		switch {
		case errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF):
			// Whether it is all there tells its size.
			if err := to.Truncate(size); err != nil {
				return size, fmt.Errorf("ending a file: %w", err)
			}
			return size, nil
		case err != nil:
			return size, fmt.Errorf("receiving a file: %w", err)
		}
	}
}
