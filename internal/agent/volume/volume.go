// Package volume keeps on a member's persistent volume, beside the data, what its agent has to remember for sure.
package volume

import (
	"crypto/rand"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"reflect"
	"sync"
)

// Volume is a persistent volume with a memo of type M.
type Volume[M any] struct {
	root string
	mu   sync.Mutex
	memo M
}

// Open reads what was remembered; on a new volume fresh notes the id that it gets.
func Open[M any](root string, fresh func(m *M, id string)) (*Volume[M], error) {
	v := &Volume[M]{root: root}
	if err := os.MkdirAll(v.Path("agent"), 0o700); err != nil {
		return nil, fmt.Errorf("preparing the volume: %w", err)
	}
	b, err := os.ReadFile(v.Path("agent", "memo.json"))
	if errors.Is(err, fs.ErrNotExist) {
		id := make([]byte, 8)
		_, _ = rand.Read(id)
		return v, v.Remember(func(m *M) { fresh(m, hex.EncodeToString(id)) })
	}
	if err != nil {
		return nil, fmt.Errorf("reading the agent's memo: %w", err)
	}
	if err := json.Unmarshal(b, &v.memo); err != nil {
		return nil, fmt.Errorf("reading the agent's memo: %w", err)
	}
	return v, nil
}

// Path is a place on the volume.
func (v *Volume[M]) Path(parts ...string) string {
	return filepath.Join(append([]string{v.root}, parts...)...)
}

// Memo returns what is remembered.
func (v *Volume[M]) Memo() M {
	v.mu.Lock()
	defer v.mu.Unlock()
	return v.memo
}

// Remember changes the memo. When it returns without error the change survives a power cut.
func (v *Volume[M]) Remember(change func(*M)) error {
	v.mu.Lock()
	defer v.mu.Unlock()
	next := v.memo
	change(&next)
	if reflect.DeepEqual(next, v.memo) {
		return nil
	}
	b, err := json.Marshal(next)
	if err != nil {
		return fmt.Errorf("encoding the agent's memo: %w", err)
	}
	if err := Write(v.Path("agent", "memo.json"), b); err != nil {
		return fmt.Errorf("writing the agent's memo: %w", err)
	}
	v.memo = next
	return nil
}

// Write writes a file that is there whole, after a power cut too, or is not there.
func Write(path string, b []byte) error {
	f, err := os.OpenFile(path+".new", os.O_CREATE|os.O_TRUNC|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	_, err = f.Write(b)
	if err == nil {
		err = f.Sync()
	}
	if err = errors.Join(err, f.Close()); err != nil {
		return err
	}
	if err := os.Rename(path+".new", path); err != nil {
		return err
	}
	return Sync(filepath.Dir(path))
}

// Sync makes what was made and removed in a folder last.
func Sync(path string) error {
	d, err := os.Open(path)
	if err != nil {
		return err
	}
	return errors.Join(d.Sync(), d.Close())
}
