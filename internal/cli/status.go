package cli

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"golang.org/x/term"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"stackwright.dev/kit/condition"
)

func (a *app) status() *cobra.Command {
	var watch bool
	cmd := &cobra.Command{
		Use:   "status",
		Short: "Tell the state of the control plane, of each of its services and of its hosts",
		Long: `Tell the state of the control plane, of each of its services and of the hosts in its cells: which services are
still to come, which steps of the control plane, of a service and of what it is made of wait, for what and since when,
and how much of a host is taken.
Where there is no control plane it tells the same of the objects that stand alone in the namespace, as why does.
The exit code is 3 while the control plane, or one of these objects, is not ready.`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if watch && a.output != "" {
				return usage(fmt.Errorf("-w writes text only; leave out -o %s, or leave out -w for one answer", a.output))
			}
			if watch {
				return a.watchStatus(cmd.Context())
			}
			s, err := a.survey(cmd.Context())
			if err != nil {
				return err
			}
			if err := a.print(s, func() { a.showStatus(s) }); err != nil {
				return err
			}
			if !s.Ready {
				return no()
			}
			return nil
		},
	}
	cmd.Flags().BoolVarP(&watch, "watch", "w", false, "show changes until interrupted")
	a.outputFlag(cmd)
	return cmd
}

func (a *app) survey(ctx context.Context) (*survey, error) {
	c, err := a.client()
	if err != nil {
		return nil, err
	}
	s, err := a.lookAround(ctx, c)
	if err != nil {
		return nil, err
	}
	if f := unattended(ctx, c); f != nil {
		s.Readiness = Readiness{Reason: f.Reason, Message: f.Message + "; " + f.Do, Since: f.Since}
	}
	return s, nil
}

// lookAround takes a survey of the control plane, or of what stands alone, by what objects say of themselves.
func (a *app) lookAround(ctx context.Context, c client.Client) (*survey, error) {
	o, err := a.find(ctx, c)
	if a.unled(err) {
		return a.lookAtRoots(ctx, c, err)
	}
	if err != nil {
		return nil, err
	}
	s, err := look(ctx, c, o)
	if err != nil {
		return nil, err
	}
	s.Blocks, err = lookAtBlocks(ctx, c, o.Namespace, o)
	return s, err
}

func (a *app) showStatus(s *survey) {
	for _, l := range s.lines() {
		fmt.Fprintln(a.out, l.text)
	}
}

// watchStatus shows changes until it is interrupted.
func (a *app) watchStatus(ctx context.Context) error {
	return (&watcher{app: a, ask: a.survey, redraw: a.terminal(), size: a.extent}).run(ctx)
}

// watcher redraws on a terminal, and writes a line per change elsewhere. An API server that does not answer for a
// while, as while it restarts, is no reason to stop: what was seen last stays, with what went wrong.
type watcher struct {
	*app

	ask    func(context.Context) (*survey, error)
	redraw bool
	// size is how many letters a line of the terminal has, and how many lines there are; 0 is not known.
	size func() (width, height int)
	// seen is the last survey that succeeded, at is when.
	seen   *survey
	at     time.Time
	last   string
	outage forbearance
}

// answerWithin is how long a question of a watch may take. A cut network answers nothing at all.
const answerWithin = 10 * time.Second

func (w *watcher) run(ctx context.Context) error {
	tick := time.NewTicker(time.Second)
	defer tick.Stop()
	for {
		asking, cancel := context.WithTimeout(ctx, answerWithin)
		s, err := w.ask(asking)
		cancel()
		if ctx.Err() != nil {
			return nil
		}
		// Who has not seen anything yet may have the wrong cluster before them.
		if !w.outage.bears(err) || err != nil && w.seen == nil {
			return err
		}
		w.show(s, err)
		select {
		case <-ctx.Done():
			return nil
		case <-tick.C:
		}
	}
}

// show shows a survey, or the one before with the error that came instead.
func (w *watcher) show(s *survey, err error) {
	var line string
	if err == nil {
		w.seen, w.at = s, time.Now()
		line = s.oneLine()
	} else {
		line = "asking again: " + firstLine(err.Error())
	}
	if w.redraw {
		fmt.Fprint(w.out, "\x1b[H\x1b[2J")
		all := w.seen.lines()
		if err != nil {
			all = append(all, screenLine{}, screenLine{text: fmt.Sprintf("this is the state of %s; %s",
				w.at.Format(time.TimeOnly), line)})
		}
		for _, l := range fit(all, w.size) {
			fmt.Fprintln(w.out, l.text)
		}
		return
	}
	if line != w.last {
		w.last = line
		fmt.Fprintln(w.out, time.Now().Format(time.TimeOnly), line)
	}
}

// oneLine is the state without anything that moves by itself.
func (s *survey) oneLine() string {
	var parts []string
	waits, late := "", 0
	for i := range s.Services {
		p := &s.Services[i]
		if p.ToCome {
			late++
			continue
		}
		state := fmt.Sprintf("%d/%d", p.PodsReady, p.Pods)
		switch {
		case p.Ready:
			state = "ready"
		case p.Reason == condition.Paused:
			state = p.word()
		}
		if waits == "" && !p.Ready && p.Message != "" {
			waits = " | " + p.Name + ": " + brief(p.Message)
		}
		parts = append(parts, p.Name+" "+state)
	}
	if late > 0 {
		parts = append(parts, fmt.Sprintf("%d to come", late))
	}
	for i := range s.Blocks {
		parts = append(parts, s.Blocks[i].brief())
	}
	if len(parts) == 0 {
		return brief(s.Message)
	}
	if waits == "" && !s.Ready && s.Message != "" {
		// What it waits for itself, such as a release.
		waits = " | " + brief(s.Message)
	}
	return strings.Join(parts, ", ") + waits
}

// brief is the first line of a message without what to do about it.
func brief(message string) string {
	what, _, _ := strings.Cut(firstLine(message), "; ")
	return what
}

// terminal tells whether the output is one.
func (a *app) terminal() bool {
	f, ok := a.out.(interface{ Fd() uintptr })
	return ok && term.IsTerminal(int(f.Fd()))
}

// extent is the size of the terminal; 0 of what is none.
func (a *app) extent() (width, height int) {
	if f, ok := a.out.(interface{ Fd() uintptr }); ok {
		if width, height, err := term.GetSize(int(f.Fd())); err == nil {
			return width, height
		}
	}
	return 0, 0
}

func yesNo(b bool) string {
	if b {
		return "yes"
	}
	return "no"
}

func orDash(s string) string {
	if s == "" {
		return "-"
	}
	return s
}

func firstLine(s string) string {
	line, _, _ := strings.Cut(s, "\n")
	return line
}
