package cli

import (
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"k8s.io/apimachinery/pkg/types"
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

// recordFile names the cluster of the last up. Everything else of a cloud is in a folder of its own.
const (
	recordFile     = "last-up.json"
	kubeconfigFile = "kubeconfig"
)

// place is the folder for the files of the cloud that the flags name: that of the cluster of an up, or else one that is
// named after control plane and server.
func (a *app) place(o types.NamespacedName) (string, error) {
	dir, err := stateDir()
	if err != nil {
		return "", err
	}
	if file := a.kubeconfigFile(); file != "" && filepath.Dir(filepath.Dir(file)) == dir {
		return filepath.Dir(file), nil
	}
	cfg, err := a.config()
	if err != nil {
		return "", err
	}
	sum := sha256.Sum256([]byte(cfg.Host))
	return filepath.Join(dir, fmt.Sprintf("%s-%s-%x", o.Namespace, o.Name, sum[:4])), nil
}

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
	dir, err := stateDir()
	if err != nil {
		return err
	}
	return writeFile(filepath.Join(dir, recordFile), append(data, '\n'))
}

// forget removes what up left of the cluster of that name on this machine; empty is the one that is remembered.
func forget(devcluster string) error {
	dir, err := stateDir()
	if err != nil {
		return err
	}
	var files []string
	if devcluster != "" {
		for _, name := range []string{kubeconfigFile, cloudsFile, caFile} {
			files = append(files, filepath.Join(dir, devcluster, name))
		}
	}
	if lastUp().Devcluster == devcluster || devcluster == "" {
		files = append(files, filepath.Join(dir, recordFile))
	}
	for _, file := range files {
		if err := os.Remove(file); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return fmt.Errorf("removing what up left: %w", err)
		}
	}
	// Folders that somebody put something else into stay.
	if devcluster != "" {
		_ = os.Remove(filepath.Join(dir, devcluster))
	}
	_ = os.Remove(dir)
	return nil
}

// writeFile writes a file in one step, readable by its owner only, and makes its folder.
func writeFile(path string, data []byte) error {
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return fmt.Errorf("making folder %s: %w", filepath.Dir(path), err)
	}
	if err := os.WriteFile(path+".new", data, 0o600); err != nil {
		return fmt.Errorf("writing %s: %w", path, err)
	}
	if err := os.Rename(path+".new", path); err != nil {
		return fmt.Errorf("writing %s: %w", path, err)
	}
	return nil
}
