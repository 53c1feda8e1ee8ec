package cluster

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"net"
	"os"
	"path/filepath"
	"strings"

	"golang.org/x/sys/unix"
)

const (
	description = "cluster.json"
	lockFile    = ".lock"
	// Lists the folders outside of our own that were made for nodes to mount over.
	borrowedFile = ".borrowed"
)

// Load reads the description of the cluster of that name; fs.ErrNotExist when there is none.
func Load(name string) (*Cluster, error) {
	if err := CheckName(name); err != nil {
		return nil, err
	}
	content, err := os.ReadFile(filepath.Join(StateRoot, name, description))
	if err != nil {
		return nil, fmt.Errorf("reading cluster %s: %w", name, err)
	}
	cluster := &Cluster{}
	if err := json.Unmarshal(content, cluster); err != nil {
		return nil, fmt.Errorf("reading cluster %s: %w", name, err)
	}
	return cluster, nil
}

// List reads the descriptions of all clusters of the machine.
func List() ([]*Cluster, error) {
	found, err := filepath.Glob(filepath.Join(StateRoot, "*", description))
	if err != nil {
		return nil, fmt.Errorf("listing clusters: %w", err)
	}
	clusters := make([]*Cluster, 0, len(found))
	for _, path := range found {
		cluster, err := Load(filepath.Base(filepath.Dir(path)))
		if err != nil {
			return nil, err
		}
		clusters = append(clusters, cluster)
	}
	return clusters, nil
}

// Update changes the description of a cluster, which is made with an address range of its own if there is none.
func Update(name string, change func(*Cluster) error) (*Cluster, error) {
	if err := CheckName(name); err != nil {
		return nil, err
	}
	unlock, err := lock()
	if err != nil {
		return nil, err
	}
	defer unlock()
	cluster, err := Load(name)
	if errors.Is(err, fs.ErrNotExist) {
		cluster, err = create(name)
	}
	if err != nil {
		return nil, err
	}
	if err := change(cluster); err != nil {
		return nil, err
	}
	return cluster, cluster.save()
}

// Forget removes all that is kept of a cluster, its description last: until then it can be repeated. Files of gigabytes
// take a minute, in which other clusters are not to wait.
func Forget(c *Cluster) error {
	if err := c.empty(); err != nil {
		return err
	}
	unlock, err := lock()
	if err != nil {
		return err
	}
	defer unlock()
	if err := os.RemoveAll(c.State()); err != nil {
		return fmt.Errorf("removing %s: %w", c.State(), err)
	}
	left, err := List()
	if err != nil || len(left) > 0 {
		return err
	}
	borrowed, err := os.ReadFile(filepath.Join(StateRoot, borrowedFile))
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("reading list of borrowed folders: %w", err)
	}
	for folder := range strings.FieldsSeq(string(borrowed)) {
		_ = os.Remove(folder) // one that somebody else put something into stays
	}
	return os.RemoveAll(StateRoot)
}

// empty removes all files of a cluster but its description.
func (c *Cluster) empty() error {
	entries, err := os.ReadDir(c.State())
	if err != nil {
		return fmt.Errorf("listing the files of cluster %s: %w", c.Name, err)
	}
	for _, e := range entries {
		if e.Name() == description {
			continue
		}
		if err := os.RemoveAll(filepath.Join(c.State(), e.Name())); err != nil {
			return fmt.Errorf("removing files of cluster %s: %w", c.Name, err)
		}
	}
	return nil
}

func create(name string) (*Cluster, error) {
	others, err := List()
	if err != nil {
		return nil, err
	}
	addresses, err := net.InterfaceAddrs()
	if err != nil {
		return nil, fmt.Errorf("listing addresses of the machine: %w", err)
	}
	index, err := freeIndex(others, addresses)
	if err != nil {
		return nil, err
	}
	return &Cluster{Name: name, Index: index}, nil
}

// save replaces the description in one step: a reader never sees half of it.
func (c *Cluster) save() error {
	content, err := json.MarshalIndent(c, "", "  ")
	if err != nil {
		return fmt.Errorf("encoding cluster %s: %w", c.Name, err)
	}
	if err := os.MkdirAll(c.State(), 0o711); err != nil {
		return fmt.Errorf("making folder of cluster %s: %w", c.Name, err)
	}
	path := filepath.Join(c.State(), description)
	if err := os.WriteFile(path+".new", content, 0o600); err != nil {
		return fmt.Errorf("writing cluster %s: %w", c.Name, err)
	}
	if err := os.Rename(path+".new", path); err != nil {
		return fmt.Errorf("writing cluster %s: %w", c.Name, err)
	}
	return nil
}

func lock() (unlock func(), err error) {
	if err := os.MkdirAll(StateRoot, 0o711); err != nil {
		return nil, fmt.Errorf("making %s: %w", StateRoot, err)
	}
	file, err := os.OpenFile(filepath.Join(StateRoot, lockFile), os.O_CREATE|os.O_RDWR, 0o600)
	if err != nil {
		return nil, fmt.Errorf("opening lock: %w", err)
	}
	if err := unix.Flock(int(file.Fd()), unix.LOCK_EX); err != nil {
		file.Close()
		return nil, fmt.Errorf("locking: %w", err)
	}
	return func() { file.Close() }, nil
}

// Borrow makes a folder outside of devcluster's own, unless it is there, and remembers to remove it with the last
// cluster.
func Borrow(folder string) error {
	unlock, err := lock()
	if err != nil {
		return err
	}
	defer unlock()
	if _, err := os.Stat(folder); err == nil {
		return nil
	}
	ledger, err := os.OpenFile(filepath.Join(StateRoot, borrowedFile), os.O_CREATE|os.O_WRONLY|os.O_APPEND, 0o600)
	if err != nil {
		return fmt.Errorf("opening list of borrowed folders: %w", err)
	}
	defer ledger.Close()
	if _, err := fmt.Fprintln(ledger, folder); err != nil {
		return fmt.Errorf("writing list of borrowed folders: %w", err)
	}
	if err := os.Mkdir(folder, 0o755); err != nil {
		return fmt.Errorf("making folder: %w", err)
	}
	return nil
}
