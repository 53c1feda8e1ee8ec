package supervisor

import (
	"context"
	"fmt"
	"os"

	"stackwright.dev/devcluster/internal/cluster"
	"stackwright.dev/devcluster/internal/process"
)

// Spec is how the supervisor of a cluster is run. Who starts it and who finds it again have to agree on it.
func Spec(c *cluster.Cluster, binary string) process.Spec {
	return process.Spec{
		Name:    "supervisor",
		Command: []string{binary, "supervise", "--name", c.Name},
		Env:     []string{"GOGC=50"},
		Folder:  c.State(),
		Log:     c.Log("supervisor"),
	}
}

// Guard has the supervisor of a cluster started again whenever it ends, as long as this process lives. A component that
// the supervisor keeps calls it, so that each of the two has the other replaced and no third process is needed.
//
// What it starts is in the control group of who calls it, the cluster's, where `down` kills it with all others.
func Guard(name string) error {
	c, err := cluster.Load(name)
	if err != nil {
		return err
	}
	binary, err := os.Executable()
	if err != nil {
		return fmt.Errorf("finding our own program: %w", err)
	}
	always := func(context.Context) error { return nil }
	process.Keep(context.Background(), process.Unit{Spec: Spec(c, binary), Wait: always}, c.SystemCgroup())
	return nil
}
