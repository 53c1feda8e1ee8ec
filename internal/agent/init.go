package agent

import (
	"errors"
	"fmt"
	"os"
	"os/signal"
	"syscall"
)

// childEnv tells a process that it is the agent proper under an init.
const childEnv = "STACKWRIGHT_AGENT_CHILD"

// AsInit makes a container's first process an init: it runs this program again as its only child, passes signals on,
// reaps the orphans that daemons and their scripts leave to it, and ends with the child's exit code. In any other
// process it returns at once, and the caller goes on as the agent.
func AsInit() error {
	if os.Getpid() != 1 || os.Getenv(childEnv) != "" {
		return nil
	}
	signals := make(chan os.Signal, 32)
	signal.Notify(signals)
	self, err := os.Executable()
	if err != nil {
		return fmt.Errorf("finding the agent's binary: %w", err)
	}
	child, err := os.StartProcess(self, os.Args, &os.ProcAttr{
		Env: append(os.Environ(), childEnv+"=1"), Files: []*os.File{os.Stdin, os.Stdout, os.Stderr},
	})
	if err != nil {
		return fmt.Errorf("starting the agent: %w", err)
	}
	for s := range signals {
		switch s {
		case syscall.SIGCHLD:
			if code, ended := reap(child.Pid); ended {
				os.Exit(code)
			}
		case syscall.SIGURG, syscall.SIGPIPE: // of the Go runtime's own making
		default:
			_ = child.Signal(s)
		}
	}
	return errors.New("the stream of signals has ended")
}

// reap collects all ended children and returns the exit code of the one that matters, if it is among them.
func reap(main int) (code int, ended bool) {
	for {
		var st syscall.WaitStatus
		pid, err := syscall.Wait4(-1, &st, syscall.WNOHANG, nil)
		if errors.Is(err, syscall.EINTR) {
			continue
		}
		if err != nil || pid <= 0 {
			return code, ended
		}
		if pid == main {
			code, ended = st.ExitStatus(), true
			if st.Signaled() {
				code = 128 + int(st.Signal())
			}
		}
	}
}
