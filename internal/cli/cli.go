// Package cli holds the commands of stackwright, one file per verb.
package cli

import (
	"context"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"os"
	"os/signal"
	"path/filepath"
	"strings"
	"syscall"

	"github.com/go-logr/logr"
	"github.com/spf13/cobra"
	"k8s.io/klog/v2"
	ctrllog "sigs.k8s.io/controller-runtime/pkg/log"

	"stackwright.dev/stackwright/internal/image/command"
)

// app is what all verbs share: the global flags and the streams.
type app struct {
	kubeconfig, context string
	devcluster          string
	namespace           string
	controlplane        string
	output              string
	verbose             bool
	// patient has requests to the cluster repeated that fail for a moment.
	patient bool

	// outside takes the place of the network to clouds, in tests.
	outside http.RoundTripper

	in       io.Reader
	out, err io.Writer
}

// Run runs the command line and returns its exit code.
func Run() int {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	a := &app{in: os.Stdin, out: os.Stdout, err: os.Stderr}
	return a.run(ctx, filepath.Base(os.Args[0]), os.Args[1:])
}

// run executes the arguments of a program of that name.
func (a *app) run(ctx context.Context, program string, args []string) int {
	root := a.root(program)
	root.SetArgs(args)
	err := root.ExecuteContext(ctx)
	if err != nil && !said(err) {
		fmt.Fprintln(a.err, "stackwright:", err)
	}
	return code(ctx, err)
}

// root is the command tree. As kubectl-stackwright the program is a plugin of kubectl and calls itself that.
func (a *app) root(program string) *cobra.Command {
	use := "stackwright"
	if strings.HasPrefix(program, "kubectl-") {
		use = "kubectl-stackwright"
	}
	root := &cobra.Command{
		Use:              use,
		Short:            "Run OpenStack on Kubernetes",
		Long:             longRoot,
		SilenceErrors:    true,
		SilenceUsage:     true,
		TraverseChildren: true,
		Args:             func(_ *cobra.Command, args []string) error { return unknownVerb(args) },
		RunE:             func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
		PersistentPreRunE: func(*cobra.Command, []string) error {
			a.logging()
			return a.checkOutput()
		},
	}
	if use != "stackwright" {
		root.Annotations = map[string]string{cobra.CommandDisplayNameAnnotation: "kubectl stackwright"}
	}
	root.SetIn(a.in)
	root.SetOut(a.out)
	root.SetErr(a.err)
	root.SetFlagErrorFunc(func(_ *cobra.Command, err error) error { return usage(err) })
	a.flags(root)
	root.AddCommand(a.preflight(), a.up(), a.down(), a.status(), a.tree(), a.why(), a.clouds(), a.openstack(),
		a.resources(), command.Command(), a.render(), a.crds(), a.diff(), a.logs(), a.shell(),
		a.bundle(), a.version())
	return root
}

func unknownVerb(args []string) error {
	if len(args) == 0 {
		return nil
	}
	return usage(fmt.Errorf("there is no command %q; see stackwright --help", args[0]))
}

const longRoot = `Run OpenStack on Kubernetes: one object becomes databases, queues and every API.

The cluster is the one of --kubeconfig or $KUBECONFIG; else the one that the last "stackwright up" was in; else the one
that kubectl uses. "up" and "down" do not look at $KUBECONFIG: "up" works on this machine and "down" where the last "up"
did, unless --kubeconfig names another cluster.

Exit codes: 0 done; 1 failed; 2 wrong usage; 3 the answer is no (not ready, a check failed, there are differences);
4 the cluster cannot be reached; 5 timed out; 130 interrupted. "openstack" and "shell" pass on the program's own.`

func (a *app) flags(root *cobra.Command) {
	f := root.PersistentFlags()
	f.StringVar(&a.kubeconfig, "kubeconfig", "", "file with the cluster to use")
	f.StringVar(&a.context, "context", "", "context of the kubeconfig to use")
	f.StringVarP(&a.namespace, "namespace", "n", "", `namespace of the control plane (default "openstack")`)
	f.StringVarP(&a.controlplane, "control-plane", "c", "",
		"name of the control plane; needed when the namespace has several")
	f.BoolVarP(&a.verbose, "verbose", "v", false, "tell more on standard error")
}

// outputFlag adds -o to a verb whose answer programs may want.
func (a *app) outputFlag(cmd *cobra.Command) {
	cmd.Flags().StringVarP(&a.output, "output", "o", "", "json or yaml instead of text")
	_ = cmd.RegisterFlagCompletionFunc("output",
		cobra.FixedCompletions([]string{"json", "yaml"}, cobra.ShellCompDirectiveNoFileComp))
}

func (a *app) logging() {
	level := slog.LevelWarn
	if a.verbose {
		level = slog.LevelDebug
	}
	handler := slog.NewTextHandler(a.err, &slog.HandlerOptions{Level: level})
	slog.SetDefault(slog.New(handler))
	ctrllog.SetLogger(logr.FromSlogHandler(handler))
	// What client-go says beside the errors that it returns, such as of streams that an interrupt has cut.
	if !a.verbose {
		klog.SetLogger(logr.Discard())
		return
	}
	klog.SetSlogLogger(slog.Default())
}

func (a *app) checkOutput() error {
	switch a.output {
	case "", "json", "yaml":
		return nil
	}
	return usage(fmt.Errorf("output %q is not known; use json or yaml", a.output))
}
