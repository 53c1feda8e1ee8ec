// Command stackwright-operator runs the controllers of Stackwright: all of them, or those that --controllers names.
// As `stackwright-operator secrets` it makes the Secrets of a service that no controller looks after, and ends.
package main

import (
	"flag"
	"fmt"
	"log/slog"
	"os"

	"github.com/go-logr/logr"
	ctrl "sigs.k8s.io/controller-runtime"

	"stackwright.dev/stackwright/internal/operator"
	"stackwright.dev/stackwright/internal/standalone"
	"stackwright.dev/stackwright/internal/version"
)

func main() {
	if err := run(); err != nil {
		fmt.Fprintln(os.Stderr, "stackwright-operator:", err)
		os.Exit(1)
	}
}

func run() error {
	if len(os.Args) > 1 && os.Args[1] == "secrets" {
		ctrl.SetLogger(logr.Discard())
		if err := standalone.Command(ctrl.SetupSignalHandler(), os.Args[2:]); err != nil {
			return fmt.Errorf("making Secrets: %w", err)
		}
		return nil
	}
	var o operator.Options
	var level slog.Level
	show := flag.Bool("version", false, "print the version and exit")
	o.Flags(flag.CommandLine)
	flag.TextVar(&level, "log-level", slog.LevelInfo, "debug, info or error")
	flag.Parse()
	if *show {
		fmt.Println(version.String())
		return nil
	}
	ctrl.SetLogger(logr.FromSlogHandler(slog.NewJSONHandler(os.Stderr, &slog.HandlerOptions{Level: level})))
	operator.KeepHeapSmall()
	if limit := operator.LimitMemory(); limit > 0 {
		ctrl.Log.Info("keeping the heap under the container's limit", "bytes", limit)
	}
	cfg, err := ctrl.GetConfig()
	if err != nil {
		return fmt.Errorf("finding the cluster: %w; run in a pod or give --kubeconfig", err)
	}
	return operator.Run(ctrl.SetupSignalHandler(), cfg, o)
}
