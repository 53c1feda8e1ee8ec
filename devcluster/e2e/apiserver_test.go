//go:build e2e

package e2e

import (
	"bufio"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// serving is a running `devcluster apiserver`.
type serving struct {
	command    *exec.Cmd // what was started: the server, or a shell that is its parent
	kubeconfig string
	took       time.Duration
}

func TestAPIServerServes(t *testing.T) {
	served := serve(t, command("apiserver"))
	if err := quiet(kubectlWith(served.kubeconfig, "create", "configmap", "one", "--from-literal=a=b")); err != nil {
		t.Error(err)
	}
	stop(t, served, func() error { return served.command.Process.Signal(unix.SIGTERM) })
}

func TestAPIServerEndsWithItsParent(t *testing.T) {
	shell := exec.Command("sh", "-c", `"$1" apiserver & wait`, "sh", program())
	served := serve(t, shell)
	stop(t, served, func() error { return served.command.Process.Kill() })
}

func TestAPIServerEndsWithItsInput(t *testing.T) {
	server := command("apiserver")
	input, err := server.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	served := serve(t, server)
	stop(t, served, input.Close)
}

func TestAPIServerKeepsGivenFolder(t *testing.T) {
	folder := filepath.Join(t.TempDir(), "data")
	for _, verb := range []string{"create", "get"} {
		served := serve(t, command("apiserver", "--data-dir", folder))
		if err := quiet(kubectlWith(served.kubeconfig, verb, "namespace", "kept")); err != nil {
			t.Error(err)
		}
		_ = served.command.Process.Kill()
		_ = served.command.Wait()
	}
}

func TestAPIServerSweepsWhatAKilledOneLeft(t *testing.T) {
	killed := serve(t, command("apiserver"))
	if err := killed.command.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = killed.command.Wait()
	next := serve(t, command("apiserver"))
	if _, err := os.Stat(filepath.Dir(killed.kubeconfig)); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("%s is still there", filepath.Dir(killed.kubeconfig))
	}
	stop(t, next, func() error { return next.command.Process.Signal(os.Interrupt) })
}

// serve starts a server and returns when it is ready.
func serve(t *testing.T, command *exec.Cmd) serving {
	t.Helper()
	served, err := start(command)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if t.Failed() {
			served.keep(t.Name())
		}
		_ = command.Process.Kill()
	})
	return served
}

// start starts a server and returns when it is ready. One that fails tells the end of its log.
func start(command *exec.Cmd) (serving, error) {
	output, err := command.StdoutPipe()
	if err != nil {
		return serving{}, err
	}
	command.Stderr = os.Stderr
	begin := time.Now()
	if err := command.Start(); err != nil {
		return serving{}, err
	}
	line, err := bufio.NewReader(output).ReadString('\n')
	if err != nil {
		_ = command.Process.Kill()
		return serving{}, fmt.Errorf("reading the path of the kubeconfig: %w", err)
	}
	return serving{command: command, kubeconfig: strings.TrimSpace(line), took: time.Since(begin)}, nil
}

// keep puts objects and log of a server where those of failed stories are. One that has ended has removed them.
func (s serving) keep(name string) {
	folder, err := artifacts(name)
	objects, missing := kubectlWith(s.kubeconfig, "get", "namespaces,configmaps,events", "-A", "-o",
		"yaml").CombinedOutput()
	log, unread := os.ReadFile(filepath.Join(filepath.Dir(s.kubeconfig), "log"))
	err = errors.Join(err, missing, unread, os.WriteFile(filepath.Join(folder, "log"), log, 0o600),
		os.WriteFile(filepath.Join(folder, "objects.yaml"), objects, 0o600))
	fmt.Fprintln(os.Stderr, "what is known of the API server of", name, "is in", folder, err)
}

// stop ends a server in the given way and expects nothing of it to be left.
func stop(t *testing.T, served serving, end func() error) {
	t.Helper()
	if err := end(); err != nil {
		t.Fatal(err)
	}
	folder := filepath.Dir(served.kubeconfig)
	eventually(t, 10*time.Second, func() error {
		if _, err := os.Stat(folder); !errors.Is(err, fs.ErrNotExist) {
			return fmt.Errorf("%s is still there", folder)
		}
		if err := quiet(kubectlWith(served.kubeconfig, "version")); err == nil {
			return errors.New("the server still answers")
		}
		return nil
	})
	_ = served.command.Wait()
}

func kubectlWith(kubeconfig string, arguments ...string) *exec.Cmd {
	return exec.Command(program(), append([]string{"kubectl", "--kubeconfig", kubeconfig}, arguments...)...)
}
