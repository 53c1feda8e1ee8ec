package cli

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
)

// record is what up leaves behind so that later commands find the cloud without flags.
type record struct {
	Kubeconfig   string `json:"kubeconfig"`
	Devcluster   string `json:"devcluster,omitempty"`
	Namespace    string `json:"namespace"`
	ControlPlane string `json:"controlPlane"`
}

// stateDir is the folder for what belongs to this machine's clouds. Nothing of the user's own is in it.
func stateDir() (string, error) {
	if dir := os.Getenv("XDG_STATE_HOME"); dir != "" {
		return filepath.Join(dir, "stackwright"), nil
	}
	home, err := os.UserHomeDir()
	if err != nil {
		return "", fmt.Errorf("finding the home folder: %w; set XDG_STATE_HOME", err)
	}
	return filepath.Join(home, ".local", "state", "stackwright"), nil
}

// The files of the state folder besides clouds.yaml.
const (
	recordFile     = "last-up.json"
	kubeconfigFile = "kubeconfig"
)

// lastUp returns what the last up left; an empty record when there is none or it cannot be read.
func lastUp() record {
	var r record
	dir, err := stateDir()
	if err != nil {
		return r
	}
	data, err := os.ReadFile(filepath.Join(dir, recordFile))
	if err != nil || json.Unmarshal(data, &r) != nil {
		return record{}
	}
	if _, err := os.Stat(r.Kubeconfig); err != nil {
		return record{}
	}
	return r
}

func (r record) save() error {
	data, err := json.MarshalIndent(r, "", "  ")
	if err != nil {
		return fmt.Errorf("encoding what up did: %w", err)
	}
	_, err = writeState(recordFile, append(data, '\n'))
	return err
}

// forget removes everything that up left in the state folder.
func forget() error {
	dir, err := stateDir()
	if err != nil {
		return err
	}
	for _, name := range []string{recordFile, kubeconfigFile, cloudsFile, caFile} {
		if err := os.Remove(filepath.Join(dir, name)); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return fmt.Errorf("removing what up left: %w", err)
		}
	}
	// A folder that somebody put something else into stays.
	_ = os.Remove(dir)
	return nil
}

// writeState writes a file of the state folder in one step, readable by its owner only. It returns the file's path.
func writeState(name string, data []byte) (string, error) {
	dir, err := stateDir()
	if err != nil {
		return "", err
	}
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return "", fmt.Errorf("making folder %s: %w", dir, err)
	}
	path := filepath.Join(dir, name)
	if err := os.WriteFile(path+".new", data, 0o600); err != nil {
		return "", fmt.Errorf("writing %s: %w", path, err)
	}
	if err := os.Rename(path+".new", path); err != nil {
		return "", fmt.Errorf("writing %s: %w", path, err)
	}
	return path, nil
}
