package image

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"sigs.k8s.io/yaml"

	"stackwright.dev/stackwright/internal/image/apt"
	"stackwright.dev/stackwright/internal/image/spec"
)

// Lock holds the exact packages of every layer of a release. It is why building again needs no look at the archive,
// and it is what another machine needs to build the same images.
type Lock struct {
	Release      string `json:"release"`
	Architecture string `json:"architecture"`
	// Indexes is the checksum of the package indexes that the packages were chosen from.
	Indexes string            `json:"indexes"`
	Layers  map[string]Locked `json:"layers"`
}

// Locked is one layer's packages.
type Locked struct {
	// Request is the checksum of what was asked for.
	Request  string        `json:"request"`
	Packages []apt.Package `json:"packages"`
}

func lockFile(cache, release string) string { return filepath.Join(cache, "lock-"+release+".yaml") }

// ReadLock reads a lock and checks that it is for the release and this machine's architecture.
func ReadLock(file, release string) (*Lock, error) {
	data, err := os.ReadFile(file)
	if err != nil {
		return nil, fmt.Errorf("reading the lock: %w", err)
	}
	lock := &Lock{}
	if err := yaml.UnmarshalStrict(data, lock); err != nil {
		return nil, fmt.Errorf("reading the lock %s: %w", file, err)
	}
	if lock.Release != release || lock.Architecture != apt.Architecture() {
		return nil, fmt.Errorf("the lock %s is for release %s on %s, not for %s on %s", file,
			lock.Release, lock.Architecture, release, apt.Architecture())
	}
	if lock.Layers == nil {
		lock.Layers = map[string]Locked{}
	}
	return lock, nil
}

// readOwnLock reads the cache's lock; without one all is to be resolved.
func readOwnLock(cache, release string) (*Lock, error) {
	lock, err := ReadLock(lockFile(cache, release), release)
	if errors.Is(err, fs.ErrNotExist) {
		return &Lock{Release: release, Architecture: apt.Architecture(), Layers: map[string]Locked{}}, nil
	}
	return lock, err
}

func (l *Lock) write(cache string) error {
	data, err := yaml.Marshal(l)
	if err != nil {
		return fmt.Errorf("writing the lock: %w", err)
	}
	return replaceFile(lockFile(cache, l.Release), data)
}

// covers tells whether the layer's packages are known for what it asks now.
func (l *Lock) covers(release *spec.Release, name string) bool {
	if !release.Layers[name].Installs() {
		return true
	}
	locked, ok := l.Layers[name]
	return ok && locked.Request == request(release, name)
}

// request is the checksum of all that decides which packages a layer resolves to, but the archive.
func request(release *spec.Release, name string) string {
	asked := []any{release.Codename, release.Components, release.Suites}
	for _, layer := range release.Chain(name) {
		asked = append(asked, layer.Packages)
	}
	data, err := json.Marshal(asked)
	if err != nil {
		panic(err) // strings and lists of strings
	}
	sum := sha256.Sum256(data)
	return hex.EncodeToString(sum[:8])
}
