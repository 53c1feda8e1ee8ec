package kubernetes

import (
	"errors"
	"fmt"
	"os"
	"os/signal"
	"syscall"

	"stackwright.dev/devcluster/internal/etcd"
	"stackwright.dev/devcluster/internal/supervisor"
)

// runEtcd serves the database in the folder that is its first argument, and has the supervisor of the cluster that is
// the second one replaced when it dies.
func runEtcd(args []string) int {
	if err := serveEtcd(args); err != nil {
		fmt.Fprintln(os.Stderr, "etcd:", err)
		return 1
	}
	return 0
}

func serveEtcd(args []string) error {
	if len(args) != 2 {
		return errors.New("reading arguments: want two, the folder of the database and the name of the cluster")
	}
	if err := supervisor.Guard(args[1]); err != nil {
		return err
	}
	stop := make(chan os.Signal, 1)
	signal.Notify(stop, syscall.SIGTERM, os.Interrupt)
	server, err := etcd.Start(args[0])
	if err != nil {
		return err
	}
	defer server.Stop()
	select {
	case <-stop:
		return nil
	case err := <-server.Failed():
		return fmt.Errorf("serving: %w", err)
	}
}
