package story

import (
	"context"
	"fmt"
	"strings"
)

// OpenStack runs the command line client of OpenStack in the pod of the shared control plane, and returns what it
// prints.
func (w *World) OpenStack(command ...string) string {
	w.Helper()
	out, err := w.Cluster.Stackwright(w.Context(), append([]string{"openstack"}, command...)...)
	if err != nil {
		w.Fatal(err)
	}
	return strings.TrimSpace(out)
}

// Prints is a check that a command of the client in the pod prints something with want in it.
func (w *World) Prints(want string, command ...string) func(context.Context) error {
	return func(ctx context.Context) error {
		out, err := w.Cluster.Stackwright(ctx, append([]string{"openstack"}, command...)...)
		if err == nil && !strings.Contains(out, want) {
			err = fmt.Errorf("%s prints %q, want %q in it", strings.Join(command, " "), out, want)
		}
		return err
	}
}
