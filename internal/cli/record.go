package cli

import (
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"k8s.io/apimachinery/pkg/types"
)

// record is what up leaves behind so that later commands find the cloud without flags.
type record struct {
	Kubeconfig string `json:"kubeconfig"`
	// Context is that of the time of up: what the file's current one is changes with everybody's day.
	Context      string `json:"context,omitempty"`
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
	return filepath.Join(dir, o.Namespace+"-"+o.Name+suffix(cfg.Host)), nil
}

// suffix ends the names of the folders of a server's control planes.
func suffix(host string) string {
	sum := sha256.Sum256([]byte(host))
	return fmt.Sprintf("-%x", sum[:4])
}

// lastUp returns what the last up left; an empty record when there is none or it cannot be read.
func lastUp() record {
	r, err := remembered()
	if err != nil {
		return record{}
	}
	if _, err := os.Stat(r.Kubeconfig); err != nil {
		return record{}
	}
	return r
}

// remembered returns what the last up left, also when its kubeconfig is gone; an empty record when there is none.
func remembered() (record, error) {
	var r record
	dir, err := stateDir()
	if err != nil {
		return r, err
	}
	file := filepath.Join(dir, recordFile)
	data, err := os.ReadFile(file)
	if errors.Is(err, fs.ErrNotExist) {
		return r, nil
	}
	if err == nil {
		err = json.Unmarshal(data, &r)
	}
	if err != nil {
		return record{}, fmt.Errorf("reading what the last up left in %s: %w", file, err)
	}
	return r, nil
}

// host is the address of the record's cluster; empty when it cannot be told.
func (r record) host() string {
	if r.Kubeconfig == "" {
		return ""
	}
	cfg, err := (&app{kubeconfig: r.Kubeconfig, context: r.Context}).config()
	if err != nil {
		return ""
	}
	return cfg.Host
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

// forget removes the record of the last up.
func forget() error {
	dir, err := stateDir()
	if err != nil {
		return err
	}
	return remove(dir, recordFile)
}

// keptOf are the folders with files of a cluster on this machine: that of its name, and those of control planes that
// were reached with another kubeconfig.
func keptOf(devcluster, host string) ([]string, error) {
	dir, err := stateDir()
	if err != nil {
		return nil, err
	}
	folders := []string{filepath.Join(dir, devcluster)}
	list, err := os.ReadDir(dir)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("reading what up left: %w", err)
	}
	for _, e := range list {
		if host != "" && strings.HasSuffix(e.Name(), suffix(host)) {
			folders = append(folders, filepath.Join(dir, e.Name()))
		}
	}
	return folders, nil
}

// keptDevclusters names the clusters on this machine that up made and down did not take away.
func keptDevclusters() ([]string, error) {
	dir, err := stateDir()
	if err != nil {
		return nil, err
	}
	list, err := os.ReadDir(dir)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("reading what up left: %w", err)
	}
	var names []string
	for _, e := range list {
		if _, err := os.Stat(filepath.Join(dir, e.Name(), kubeconfigFile)); err == nil {
			names = append(names, e.Name())
		}
	}
	return names, nil
}

// remove removes files of a folder of ours. The folder and the state folder go when they are empty then, and those
// above that were made for it: what somebody else put there stays.
func remove(folder string, files ...string) error {
	for _, name := range files {
		for _, file := range []string{name, name + unfinished} {
			if err := os.Remove(filepath.Join(folder, file)); err != nil && !errors.Is(err, fs.ErrNotExist) {
				return fmt.Errorf("removing what up left: %w", err)
			}
		}
	}
	_ = os.Remove(folder)
	dir, err := stateDir()
	if err != nil {
		return err
	}
	list, err := os.ReadDir(dir)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil
	case err != nil:
		return fmt.Errorf("reading what up left: %w", err)
	case len(list) > 1 || len(list) == 1 && list[0].Name() != foldersFile:
		return nil
	}
	return removeFolders(dir)
}

// removeFolders removes the state folder, and those above that were made for it and that nobody uses.
func removeFolders(dir string) error {
	made, err := os.ReadFile(filepath.Join(dir, foldersFile))
	if err == nil {
		err = os.Remove(filepath.Join(dir, foldersFile))
	}
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("removing what up left: %w", err)
	}
	_ = os.Remove(dir)
	for folder := range strings.SplitSeq(strings.TrimSpace(string(made)), "\n") {
		_ = os.Remove(folder)
	}
	return nil
}

// foldersFile lists the folders above the state folder that were made for it, the innermost first, one a line.
const foldersFile = "folders"

// makeFolder makes a folder of ours, and notes which above the state folder were made for it.
func makeFolder(folder string) error {
	dir, err := stateDir()
	if err != nil {
		return err
	}
	var made []string
	for above := filepath.Dir(dir); ; above = filepath.Dir(above) {
		if _, err := os.Stat(above); !errors.Is(err, fs.ErrNotExist) {
			break
		}
		made = append(made, above)
	}
	if err := os.MkdirAll(folder, 0o700); err != nil {
		return fmt.Errorf("making folder %s: %w", folder, err)
	}
	if len(made) == 0 {
		return nil
	}
	if err := os.WriteFile(filepath.Join(dir, foldersFile), []byte(strings.Join(made, "\n")+"\n"), 0o600); err != nil {
		return fmt.Errorf("noting which folders were made: %w", err)
	}
	return nil
}

// unfinished is what a file is called while it is written.
const unfinished = ".new"

// writeFile writes a file of the state folder in one step, readable by its owner only, and makes its folder.
func writeFile(path string, data []byte) error {
	if err := makeFolder(filepath.Dir(path)); err != nil {
		return err
	}
	if err := os.WriteFile(path+unfinished, data, 0o600); err != nil {
		return fmt.Errorf("writing %s: %w", path, err)
	}
	if err := os.Rename(path+unfinished, path); err != nil {
		return fmt.Errorf("writing %s: %w", path, err)
	}
	return nil
}
