package kubernetes

import (
	"errors"
	"fmt"
	"os"
	"os/signal"
	"syscall"

	"stackwright.dev/devcluster/internal/etcd"
)

// runEtcd serves the database in the folder that is its only argument.
func runEtcd(args []string) int {
	if err := serveEtcd(args); err != nil {
		fmt.Fprintln(os.Stderr, "etcd:", err)
		return 1
	}
	return 0
}

func serveEtcd(args []string) error {
	if len(args) != 1 {
		return errors.New("reading arguments: want one, the folder of the database")
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
