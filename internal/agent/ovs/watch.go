package ovs

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"log/slog"
	"regexp"
	"strings"
	"time"

	"stackwright.dev/stackwright/internal/agent"
)

// Question is put to a daemon time and again.
type Question struct {
	// Command that the daemon is asked, and Expect, a regular expression that its answer has to match to be in service.
	Command, Expect string
	// Remedy is a command that the daemon is given when its answers have been other ones for the time After.
	Remedy string
	After  time.Duration
}

// Config is how a daemon is supervised.
type Config struct {
	// Socket by which the daemon is controlled.
	Socket string
	// Questions that it is asked; its version when there are none.
	Questions []Question
	// Exit ends the daemon by its command exit with these arguments, instead of by SIGTERM.
	Exit string
	// HealthAddr answers probes.
	HealthAddr string
	// Daemon is its command line.
	Daemon []string
}

// Flags makes flags of the configuration's fields. What is left of the command line is that of the daemon.
func (c *Config) Flags(f *flag.FlagSet) {
	f.StringVar(&c.Socket, "socket", "", "socket by which the daemon is controlled")
	f.Func("ask", "command that the daemon is asked; may be given several times", func(text string) error {
		c.Questions = append(c.Questions, Question{Command: text})
		return nil
	})
	f.Func("expect", "regular expression that the answer to the --ask before has to match to be in service",
		c.last(func(q *Question, text string) error { q.Expect = text; return nil }))
	f.Func("remedy", "command that the daemon is given when it has not matched for the time --after",
		c.last(func(q *Question, text string) error { q.Remedy = text; return nil }))
	f.Func("after", "how long that is, such as 1m", c.last(func(q *Question, text string) (err error) {
		q.After, err = time.ParseDuration(text)
		return err
	}))
	f.StringVar(&c.Exit, "exit", "", "arguments of the command exit that ends the daemon; SIGTERM when empty")
	f.StringVar(&c.HealthAddr, "health", fmt.Sprintf(":%d", agent.HealthPort), "address that answers probes")
}

// last makes a flag say something about the question before it.
func (c *Config) last(set func(*Question, string) error) func(string) error {
	return func(text string) error {
		if len(c.Questions) == 0 {
			return errors.New("it comes behind the --ask that it is about")
		}
		return set(&c.Questions[len(c.Questions)-1], text)
	}
}

// Run supervises the daemon until ctx ends.
func Run(ctx context.Context, c Config) error {
	if c.Socket == "" || len(c.Daemon) == 0 {
		return errors.New("--socket and the daemon's command line are needed, " +
			"such as --socket=/run/ovn/ovn-northd.ctl -- ovn-northd --unixctl=/run/ovn/ovn-northd.ctl")
	}
	look, err := c.look()
	if err != nil {
		return err
	}
	w := &agent.Watch{Path: c.Daemon[0], Args: c.Daemon[1:], HealthAddr: c.HealthAddr, Look: look}
	if c.Exit != "" {
		w.Stop = func(ctx context.Context) error {
			_, err := Ask(ctx, c.Socket, "exit", strings.Fields(c.Exit)...)
			return err
		}
	}
	return w.Run(ctx)
}

// look puts all questions.
func (c *Config) look() (func(context.Context) error, error) {
	questions := c.Questions
	if len(questions) == 0 {
		questions = []Question{{Command: "version"}}
	}
	all := make([]*inquiry, len(questions))
	for i, q := range questions {
		want, err := regexp.Compile(q.Expect)
		if err != nil {
			return nil, fmt.Errorf("reading --expect: %w", err)
		}
		all[i] = &inquiry{Question: q, socket: c.Socket, want: want}
	}
	return func(ctx context.Context) error {
		var errs []error
		for _, q := range all {
			errs = append(errs, q.put(ctx))
		}
		return errors.Join(errs...)
	}, nil
}

// inquiry is a question, since when the answers to it have been wrong, and how many have been right after that.
type inquiry struct {
	Question

	socket string
	want   *regexp.Regexp
	wrong  time.Time
	right  int
}

func (q *inquiry) put(ctx context.Context) error {
	answer, err := Ask(ctx, q.socket, q.Command)
	if err != nil {
		return err
	}
	if q.want.MatchString(answer) {
		// One is by chance: a database that is refused is connected for a moment, time and again.
		if q.right++; q.right > 1 {
			q.wrong = time.Time{}
		}
		return nil
	}
	q.right = 0
	err = fmt.Errorf("%s says: %s", q.Command, answer)
	switch {
	case q.wrong.IsZero():
		q.wrong = time.Now()
	case q.Remedy != "" && time.Since(q.wrong) >= q.After:
		q.wrong = time.Time{}
		slog.Warn("giving the daemon its remedy", "command", q.Remedy, "because", err)
		_, failed := Ask(ctx, q.socket, q.Remedy)
		err = errors.Join(err, failed)
	}
	return err
}
