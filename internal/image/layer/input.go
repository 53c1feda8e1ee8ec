// Package layer builds single image layers. A layer is addressed by its inputs (ID); what is stored under an
// address is never changed, so a layer that is there need not be built again.
package layer

import (
	"crypto/sha256"
	"embed"
	"encoding/hex"
	"encoding/json"
	"fmt"

	"stackwright.dev/stackwright/internal/image/apt"
	"stackwright.dev/stackwright/internal/image/spec"
)

//go:embed recipe
var recipe embed.FS

// format is part of every address; it grows when the code below makes other layers from the same inputs.
const format = 1

// Input is all that decides what is in a layer.
type Input struct {
	Layer *spec.Layer
	// Parent is the address of the layer below, empty for the lowest.
	Parent string
	// Codename and Sources are Debian's release and the sources.list of the image; the lowest layer alone uses them.
	Codename, Sources string
	// Packages are what the layer adds.
	Packages []apt.Package
	// Files are in the order of Layer.Files.
	Files []File
	// NotBefore is a time in seconds which the layer's own must not be before: that of layers whose files it takes.
	NotBefore int64
}

// File is the content of one of the layer's files.
type File struct {
	// Path is where it is on this machine. It is not part of the address.
	Path string `json:"-"`
	// Content is used when Path is empty.
	Content []byte `json:"-"`
	// SHA256 of the content, or for a file of another layer that layer's address.
	SHA256 string `json:"sha256"`
}

// ID is the layer's address: 64 hexadecimal digits.
func (in *Input) ID() (string, error) {
	described := map[string]any{
		"format":       format,
		"architecture": apt.Architecture(),
		"parent":       in.Parent,
		"packages":     in.Packages,
		"users":        in.Layer.Users,
		"files":        in.Layer.Files,
		"contents":     in.Files,
		"empty":        in.Layer.Empty,
		"remove":       in.Layer.Remove,
		"sort":         in.Layer.Sort,
	}
	if !in.Layer.Scratch() {
		described["recipe"] = recipeSum()
	}
	if in.bootstrap() {
		described["codename"], described["sources"] = in.Codename, in.Sources
	}
	data, err := json.Marshal(described)
	if err != nil {
		return "", fmt.Errorf("describing layer %s: %w", in.Layer.Name, err)
	}
	sum := sha256.Sum256(data)
	return hex.EncodeToString(sum[:]), nil
}

func (in *Input) bootstrap() bool { return in.Layer.Parent == "" && !in.Layer.Scratch() }

func recipeSum() string {
	hash := sha256.New()
	for _, name := range []string{"recipe/build.sh", "recipe/dpkg.cfg"} {
		data, err := recipe.ReadFile(name)
		if err != nil {
			panic("the program was built without " + name)
		}
		hash.Write(data)
	}
	return hex.EncodeToString(hash.Sum(nil))
}
