package cli

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/spf13/cobra"
	"golang.org/x/term"

	"stackwright.dev/stackwright/internal/cli/progress"
)

// upFlags are the flags of up.
type upFlags struct {
	release, size, file, registry, profile, picture string
	plainHTTP                                       bool
	nodes                                           int
	timeout                                         time.Duration
}

func (a *app) up() *cobra.Command {
	f := upFlags{}
	cmd := &cobra.Command{
		Use:   "up",
		Short: "Bring up an OpenStack: on this machine, or in the cluster of --kubeconfig",
		Long: `Bring up an OpenStack.

Without --kubeconfig it starts a real Kubernetes on this machine (devcluster), builds the images, loads them, installs
the operators, makes one control plane and hosts for servers on the nodes, and boots a server to prove it. What is there
already is left as it is, so a second up does nothing. --profile full has Barbican and Heat, too, and takes more memory;
--profile keystone has Keystone only. A control plane that exists gets the services that it lacks of a profile that is
asked for; none is taken away.

With --kubeconfig it installs into that cluster; $KUBECONFIG is not looked at. Its nodes have to be able to pull the
images: --registry pushes them to a registry; without it the cluster needs an OpenStackRelease of the name --release
already.`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if err := f.check(); err != nil {
				return err
			}
			if err := a.checkNamed(cmd); err != nil {
				return err
			}
			ctx, cancel := context.WithTimeoutCause(cmd.Context(), f.timeout, errTooLong)
			defer cancel()
			return a.bringUp(ctx, cmd, f)
		},
	}
	flags := cmd.Flags()
	flags.StringVar(&a.devcluster, "devcluster", defaultDevcluster, "name of the cluster on this machine")
	flags.IntVar(&f.nodes, "nodes", 0, "nodes of the cluster on this machine (default 1 for a new one)")
	flags.StringVar(&f.release, "release", "epoxy", "OpenStack release")
	flags.StringVar(&f.size, "size", "",
		`size of the control plane: dev, small, medium or large (default "dev" for a new one)`)
	flags.StringVar(&f.profile, "profile", profileCore,
		"what the control plane has: core, full, with Barbican and Heat too, or keystone, Keystone only")
	flags.StringVarP(&f.file, "file", "f", "", "file with the OpenStackControlPlane to apply instead of a minimal one")
	flags.StringVar(&f.registry, "registry", "",
		"push the images to this registry, HOST[:PORT][/PATH], and run them from there")
	flags.BoolVar(&f.plainHTTP, "plain-http", false, "talk to the registry without TLS")
	flags.StringVar(&f.picture, "picture", "",
		"draw into this file, as SVG, what ran when and what waited for what")
	flags.DurationVar(&f.timeout, "timeout", 30*time.Minute, "give up after this time")
	return cmd
}

var errTooLong = errors.New("it took too long")

// ascent is one run of up.
type ascent struct {
	*app
	upFlags
	board *progress.Board
	local bool
	// patience is how long nothing may change before the cause is told.
	patience time.Duration
	// sizeSet and profileSet tell that a person asked for these, which then change a control plane that exists.
	sizeSet, profileSet bool
}

func (a *app) bringUp(ctx context.Context, cmd *cobra.Command, f upFlags) error {
	u := &ascent{app: a, upFlags: f, board: a.board(), local: a.kubeconfig == "",
		patience: patience, sizeSet: cmd.Flags().Changed("size"), profileSet: cmd.Flags().Changed("profile")}
	began := time.Now()
	result, err := u.run(ctx)
	u.board.Close()
	if err != nil {
		return u.failed(ctx, err)
	}
	u.congratulate(result, time.Since(began))
	return nil
}

// run is up from begin to end. Cluster and images are made at the same time.
func (u *ascent) run(ctx context.Context) (*arrival, error) {
	if err := u.aim(); err != nil {
		return nil, err
	}
	if !u.local {
		if err := u.checkTarget(ctx); err != nil {
			return nil, err
		}
	}
	u.patient = true
	err := together(ctx,
		func(ctx context.Context) error { return u.part(ctx, "cluster", u.cluster) },
		func(ctx context.Context) error { return u.part(ctx, "images", u.images) })
	if err != nil {
		return nil, err
	}
	if err := u.part(ctx, "deliver", u.deliver); err != nil {
		return nil, err
	}
	if err := u.part(ctx, "operators", u.operators); err != nil {
		return nil, err
	}
	return u.drawn(ctx, u.objects)
}

// aim takes name and namespace from the file of the control plane. A mistake in it is told before minutes go by.
func (u *ascent) aim() error {
	if u.file == "" {
		return nil
	}
	want, err := u.fromFile()
	if err == nil {
		u.namespace, u.controlplane = want.GetNamespace(), want.GetName()
	}
	return err
}

// objects makes the control plane and all that comes after it.
func (u *ascent) objects(ctx context.Context) (*arrival, error) {
	result := &arrival{}
	err := u.part(ctx, "openstack", func(ctx context.Context, p *progress.Part) error {
		return u.cloud(ctx, p, result)
	})
	if err != nil || !u.hosted() || !result.nova {
		return result, err
	}
	err = together(ctx,
		func(ctx context.Context) error { return u.part(ctx, "hosts", u.hosts) },
		func(ctx context.Context) error { return u.part(ctx, "demo", u.prepare) })
	if err != nil {
		return nil, err
	}
	err = u.part(ctx, "proof", func(ctx context.Context, p *progress.Part) error {
		return u.prove(ctx, p, result)
	})
	return result, err
}

func (u *ascent) part(ctx context.Context, name string, work func(context.Context, *progress.Part) error) error {
	p := u.board.Start(name)
	return p.End(work(ctx, p))
}

// together runs pieces of work at the same time; the first failure stops the others.
func together(ctx context.Context, work ...func(context.Context) error) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	errs := make(chan error, len(work))
	for _, w := range work {
		go func() { errs <- w(ctx) }()
	}
	var first error
	for range work {
		if err := <-errs; err != nil && first == nil {
			first = err
			cancel()
		}
	}
	return first
}

// failed adds the first cause to a wait that was too long.
func (u *ascent) failed(ctx context.Context, err error) error {
	if !errors.Is(context.Cause(ctx), errTooLong) {
		return err
	}
	if f, explained := u.explain(context.WithoutCancel(ctx), ""); explained == nil && f != nil {
		u.showWhy(f, false)
	}
	return timeout{fmt.Errorf("not done after %s: %w; run up again to go on", u.timeout, err)}
}

// board shows progress on standard error: live when that is a terminal, else as a log.
func (a *app) board() *progress.Board {
	f, ok := a.err.(interface{ Fd() uintptr })
	if !ok || !term.IsTerminal(int(f.Fd())) {
		return progress.New(a.err, false, 0)
	}
	width, _, err := term.GetSize(int(f.Fd()))
	if err != nil {
		width = 80
	}
	return progress.New(a.err, true, width)
}
