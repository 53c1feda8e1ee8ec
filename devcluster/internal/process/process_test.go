package process

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// unit runs a shell command; the wait is for nothing.
func unit(t *testing.T, script string) Unit {
	t.Helper()
	return Unit{
		Spec: Spec{
			Name: "shell", Command: []string{"/bin/sh", "-c", script}, Log: filepath.Join(t.TempDir(), "log", "shell"),
		},
		Wait: func(context.Context) error { return nil },
	}
}

func eventually(t *testing.T, check func() error) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
	defer cancel()
	ticker := time.NewTicker(10 * time.Millisecond)
	defer ticker.Stop()
	for {
		err := check()
		if err == nil {
			return
		}
		select {
		case <-ctx.Done():
			t.Fatal(err)
		case <-ticker.C:
		}
	}
}

func running(keeper *Keeper, not int) func() error {
	return func() error {
		if pid := keeper.State().PID; pid == 0 || pid == not {
			return errors.New("the program does not run")
		}
		return nil
	}
}

func TestKeeperStartsAKilledProgramAgain(t *testing.T) {
	keeper := Keep(t.Context(), unit(t, "echo begun; exec sleep 1000"), "/none")
	defer keeper.Stop()
	eventually(t, running(keeper, 0))
	begun := func(n int) func() error {
		return func() error {
			log, err := os.ReadFile(keeper.unit.Log)
			if err == nil && strings.Count(string(log), "begun") != n {
				err = errors.New("log is " + string(log))
			}
			return err
		}
	}
	eventually(t, begun(1)) // a program that is killed before it says so does not
	first := keeper.State()
	if err := unix.Kill(first.PID, unix.SIGKILL); err != nil {
		t.Fatal(err)
	}
	eventually(t, running(keeper, first.PID))
	if second := keeper.State(); second.Restarts != 1 {
		t.Errorf("%d restarts, want 1", second.Restarts)
	}
	eventually(t, begun(2))
}

func TestKeeperStopsItsProgram(t *testing.T) {
	keeper := Keep(t.Context(), unit(t, "exec sleep 1000"), "/none")
	eventually(t, running(keeper, 0))
	pid := keeper.State().PID
	keeper.Stop()
	if err := unix.Kill(pid, 0); !errors.Is(err, unix.ESRCH) {
		t.Errorf("after Stop the program is there: %v", err)
	}
}

func TestKeeperTellsWhyNothingStarts(t *testing.T) {
	broken := unit(t, "")
	broken.Command = []string{"/no/such/program"}
	keeper := Keep(t.Context(), broken, "/none")
	defer keeper.Stop()
	eventually(t, func() error {
		if state := keeper.State(); !strings.Contains(state.Error, "/no/such/program") {
			return errors.New("error is " + state.Error)
		}
		return nil
	})
}

func TestLogIsTurnedOver(t *testing.T) {
	path := filepath.Join(t.TempDir(), "log")
	if err := os.WriteFile(path, make([]byte, largestLog+1), 0o600); err != nil {
		t.Fatal(err)
	}
	log, err := openLog(path)
	if err != nil {
		t.Fatal(err)
	}
	defer log.Close()
	now, err := log.Stat()
	if err != nil {
		t.Fatal(err)
	}
	before, err := os.Stat(path + ".1")
	if err != nil {
		t.Fatal(err)
	}
	if now.Size() != 0 || before.Size() != largestLog+1 {
		t.Errorf("new log has %d bytes, old one %d", now.Size(), before.Size())
	}
}

// A process that was just forked is not yet the program that its command says.
func TestForkedProcessIsNotItsParent(t *testing.T) {
	shell := exec.Command("/bin/sh", "-c", "(sleep 1000; true) & echo $!; wait")
	shell.SysProcAttr = &unix.SysProcAttr{Setpgid: true}
	output, err := shell.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := shell.Start(); err != nil {
		t.Fatal(err)
	}
	defer func() {
		_ = unix.Kill(-shell.Process.Pid, unix.SIGKILL)
		_ = shell.Wait()
	}()
	child := 0
	if _, err := fmt.Fscan(output, &child); err != nil {
		t.Fatal(err)
	}
	if forked(shell.Process.Pid) || !forked(child) {
		t.Errorf("forked only: of the shell %t, of its child %t", forked(shell.Process.Pid), forked(child))
	}
}

func TestNumber(t *testing.T) {
	content := []byte("55d0-7fff ---p 00000000 00:00 0 [rollup]\nRss:    1234 kB\nPss:     99 kB\nPss_Anon:  7 kB\n")
	if rss, pss := number(content, "Rss:"), number(content, "Pss:"); rss != 1234 || pss != 99 {
		t.Errorf("read %d and %d, want 1234 and 99", rss, pss)
	}
}
