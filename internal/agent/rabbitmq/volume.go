package rabbitmq

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

// Volume is a member's persistent volume: the broker's data, and beside it what the agent has to remember for sure.
type Volume struct {
	root string
	mu   sync.Mutex
	memo Memo
}

// Memo is what the agent remembers on the volume.
type Memo struct {
	// Volume is the id of the volume.
	Volume string `json:"volume"`
	// Epoch of the formation that the data belongs to.
	Epoch int64 `json:"epoch"`
	// Data tells that the data is that of a member.
	Data bool `json:"data"`
	// Order is the order that was accepted on an empty volume and is not finished.
	Order *Start `json:"order,omitempty"`
	// Alone tells that the member was ordered to go on without its majority and has not finished to.
	Alone bool `json:"alone,omitempty"`
	// Leaving tells that the member was ordered to leave its cluster, Left that it has.
	Leaving bool `json:"leaving,omitempty"`
	Left    bool `json:"left,omitempty"`
	// Members are the pods of the cluster.
	Members []string `json:"members,omitempty"`
	// Version of RabbitMQ that last ran on the data.
	Version string `json:"version,omitempty"`
}

// OpenVolume reads what was remembered, or gives a new volume its id.
func OpenVolume(root string) (*Volume, error) {
	v := &Volume{root: root}
	if err := os.MkdirAll(v.path("agent"), 0o700); err != nil {
		return nil, fmt.Errorf("preparing the volume: %w", err)
	}
	b, err := os.ReadFile(v.path("agent", "memo.json"))
	if errors.Is(err, fs.ErrNotExist) {
		id := make([]byte, 8)
		_, _ = rand.Read(id)
		return v, v.Remember(func(m *Memo) { m.Volume = hex.EncodeToString(id) })
	}
	if err != nil {
		return nil, fmt.Errorf("reading the agent's memo: %w", err)
	}
	if err := json.Unmarshal(b, &v.memo); err != nil {
		return nil, fmt.Errorf("reading the agent's memo: %w", err)
	}
	return v, nil
}

func (v *Volume) path(parts ...string) string {
	return filepath.Join(append([]string{v.root}, parts...)...)
}

// Memo returns what is remembered.
func (v *Volume) Memo() Memo {
	v.mu.Lock()
	defer v.mu.Unlock()
	return v.memo
}

// Remember changes the memo. When it returns without error the change survives a power cut.
func (v *Volume) Remember(change func(*Memo)) error {
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
	if err := writeDurably(v.path("agent", "memo.json"), b); err != nil {
		return fmt.Errorf("writing the agent's memo: %w", err)
	}
	v.memo = next
	return nil
}

// Wipe removes the broker's data, unless it is that of a member.
func (v *Volume) Wipe() error {
	if v.Memo().Data {
		return errors.New("wiping the volume: it has the data of a member")
	}
	err := errors.Join(os.RemoveAll(v.path("data")), os.RemoveAll(v.path("feature_flags")),
		os.RemoveAll(v.path("plugins")))
	if err != nil {
		return fmt.Errorf("wiping the volume: %w", err)
	}
	return syncDir(v.root)
}

func writeDurably(path string, b []byte) error {
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
	return syncDir(filepath.Dir(path))
}

func syncDir(path string) error {
	d, err := os.Open(path)
	if err != nil {
		return err
	}
	return errors.Join(d.Sync(), d.Close())
}
