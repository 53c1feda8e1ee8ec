package member

import (
	"errors"
	"fmt"
	"os"

	"stackwright.dev/stackwright/internal/agent/volume"
)

// Volume is a member's persistent volume: the daemon's data, and beside it what the agent has to remember for sure.
type Volume struct{ *volume.Volume[Memo] }

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
	// Version of the daemon that last ran on the data.
	Version string `json:"version,omitempty"`
}

// OpenVolume reads what was remembered, or gives a new volume its id.
func OpenVolume(root string) (*Volume, error) {
	v, err := volume.Open(root, func(m *Memo, id string) { m.Volume = id })
	if err != nil {
		return nil, err
	}
	return &Volume{v}, nil
}

// Wipe removes the daemon's files and folders, unless they are those of a member.
func (v *Volume) Wipe(names ...string) error {
	if v.Memo().Data {
		return errors.New("wiping the volume: it has the data of a member")
	}
	for _, name := range names {
		if err := os.RemoveAll(v.Path(name)); err != nil {
			return fmt.Errorf("wiping the volume: %w", err)
		}
	}
	return volume.Sync(v.Path())
}
