package mariadb

import (
	"bufio"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"stackwright.dev/stackwright/internal/agent/volume"
)

// Volume is a member's persistent volume: the data, and beside it what the agent has to remember for sure.
type Volume struct{ *volume.Volume[Memo] }

// Memo is what the agent remembers on the volume.
type Memo struct {
	// Volume is the id of the volume.
	Volume string `json:"volume"`
	// Epoch of the last start order that was accepted.
	Epoch int64 `json:"epoch"`
	// Role is the newest writer order.
	Role Role `json:"role"`
	// History is the id of the history that the data belonged to when it was last whole; empty before the first time.
	History string `json:"history,omitempty"`
	// Copying tells that a copy of another member's data was about to take the place of ours, so that what is there may
	// be half a copy.
	Copying bool `json:"copying,omitempty"`
	// Version of MariaDB that has served the data; empty before the first time.
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

// Data is MariaDB's data directory.
func (v *Volume) Data() string { return v.Path("data") }

// Empty tells whether there is no data. A first start that was cut off before it had made the system tables counts as
// none.
func (v *Volume) Empty() (bool, error) {
	entries, err := os.ReadDir(v.Data())
	if errors.Is(err, fs.ErrNotExist) {
		return true, nil
	}
	if err != nil {
		return false, fmt.Errorf("looking at the data: %w", err)
	}
	return len(entries) == 0, nil
}

// grastate is Galera's own note on the data.
type grastate struct {
	Position
	SafeToBootstrap bool
}

func (v *Volume) readGrastate() (grastate, error) {
	g := grastate{Position: Position{UUID: NoUUID, Seqno: -1}}
	f, err := os.Open(filepath.Join(v.Data(), "grastate.dat"))
	if errors.Is(err, fs.ErrNotExist) {
		return g, nil
	}
	if err != nil {
		return g, fmt.Errorf("reading grastate.dat: %w", err)
	}
	defer func() { _ = f.Close() }()
	for s := bufio.NewScanner(f); s.Scan(); {
		key, value, _ := strings.Cut(s.Text(), ":")
		value = strings.TrimSpace(value)
		switch strings.TrimSpace(key) {
		case "uuid":
			g.UUID = value
		case "seqno":
			if n, err := strconv.ParseInt(value, 10, 64); err == nil {
				g.Seqno = n
			}
		case "safe_to_bootstrap":
			g.SafeToBootstrap = value == "1"
		}
	}
	return g, nil
}

// allowBootstrap writes a grastate.dat that lets mariadbd begin a primary component with the data as it is.
func (v *Volume) allowBootstrap(p Position) error {
	text := fmt.Sprintf("# GALERA saved state\nversion: 2.1\nuuid:    %s\nseqno:   %d\nsafe_to_bootstrap: 1\n", p.UUID,
		p.Seqno)
	if err := volume.Write(filepath.Join(v.Data(), "grastate.dat"), []byte(text)); err != nil {
		return fmt.Errorf("writing grastate.dat: %w", err)
	}
	return nil
}

// forgetView removes the last view that Galera saved: members come together by the operator's order and by asking each
// other, never by a view that may be of another epoch.
func (v *Volume) forgetView() error {
	err := os.Remove(filepath.Join(v.Data(), "gvwstate.dat"))
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("removing gvwstate.dat: %w", err)
	}
	return nil
}
