// Package images holds what goes into each container image, per OpenStack release: one folder per release, in it
// release.yaml and one file per layer. The format is that of package spec.
package images

import "embed"

// Files is the data as compiled into the program.
//
//go:embed */*.yaml
var Files embed.FS
