// Command stackwright brings up OpenStack on Kubernetes and tells what it is at. As kubectl-stackwright it is a plugin
// of kubectl.
package main

import (
	"os"

	"stackwright.dev/stackwright/internal/cli"
)

func main() { os.Exit(cli.Run()) }
