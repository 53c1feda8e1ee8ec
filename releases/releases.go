// Package releases holds what is known about each OpenStack release: in options/ the catalogue of each service's
// configuration options, in the format of package catalogue.
package releases

import "embed"

// Files is the data as compiled into the program.
//
//go:embed */options/*.json
var Files embed.FS
