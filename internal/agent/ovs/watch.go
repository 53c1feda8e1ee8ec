package ovs

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"regexp"
	"strings"

	"stackwright.dev/stackwright/internal/agent"
)

// Config is how a daemon is supervised.
type Config struct {
	// Socket by which the daemon is controlled, Command that it is asked, and Expect, a regular expression that its answer
	// has to match to be in service.
	Socket, Command, Expect string
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
	f.StringVar(&c.Command, "ask", "version", "command that the daemon is asked")
	f.StringVar(&c.Expect, "expect", "", "regular expression that its answer has to match to be in service")
	f.StringVar(&c.Exit, "exit", "", "arguments of the command exit that ends the daemon; SIGTERM when empty")
	f.StringVar(&c.HealthAddr, "health", fmt.Sprintf(":%d", agent.HealthPort), "address that answers probes")
}

// Run supervises the daemon until ctx ends.
func Run(ctx context.Context, c Config) error {
	if c.Socket == "" || len(c.Daemon) == 0 {
		return errors.New("--socket and the daemon's command line are needed, " +
			"such as --socket=/run/ovn/ovn-northd.ctl -- ovn-northd --unixctl=/run/ovn/ovn-northd.ctl")
	}
	want, err := regexp.Compile(c.Expect)
	if err != nil {
		return fmt.Errorf("reading --expect: %w", err)
	}
	look := func(ctx context.Context) error {
		answer, err := Ask(ctx, c.Socket, c.Command)
		if err == nil && !want.MatchString(answer) {
			err = fmt.Errorf("%s says: %s", c.Command, answer)
		}
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
