package cli

import (
	"context"
	"fmt"
	"io"
	"os"
	"os/signal"
	"syscall"

	"golang.org/x/term"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/kubernetes/scheme"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/remotecommand"
	"k8s.io/streaming/pkg/httpstream"
)

// execution is a program to run in a container.
type execution struct {
	namespace, pod, container string
	command                   []string
	terminal                  bool
}

// exec runs a program in a container with the streams of this one. The program's exit code comes back in the error.
func (a *app) exec(ctx context.Context, e execution) error {
	cfg, err := a.config()
	if err != nil {
		return err
	}
	executor, err := e.executor(cfg)
	if err != nil {
		return fmt.Errorf("preparing to run %s in pod %s: %w", e.command[0], e.pod, err)
	}
	options := remotecommand.StreamOptions{Stdin: a.in, Stdout: a.out, Stderr: a.err, Tty: e.terminal}
	if !e.terminal {
		return executor.StreamWithContext(ctx, options)
	}
	options.Stderr = nil
	return withTerminal(a.in, func(sizes remotecommand.TerminalSizeQueue) error {
		options.TerminalSizeQueue = sizes
		return executor.StreamWithContext(ctx, options)
	})
}

// executor prefers WebSockets, which pass proxies, and falls back to what older servers speak.
func (e execution) executor(cfg *rest.Config) (remotecommand.Executor, error) {
	set, err := kubernetes.NewForConfig(cfg)
	if err != nil {
		return nil, err
	}
	u := set.CoreV1().RESTClient().Post().Resource("pods").Namespace(e.namespace).Name(e.pod).SubResource("exec").
		VersionedParams(&corev1.PodExecOptions{Container: e.container, Command: e.command,
			Stdin: true, Stdout: true, Stderr: !e.terminal, TTY: e.terminal}, scheme.ParameterCodec).URL()
	socket, err := remotecommand.NewWebSocketExecutor(cfg, "GET", u.String())
	if err != nil {
		return nil, err
	}
	spdy, err := remotecommand.NewSPDYExecutor(cfg, "POST", u)
	if err != nil {
		return nil, err
	}
	return remotecommand.NewFallbackExecutor(socket, spdy, func(err error) bool {
		return httpstream.IsUpgradeFailure(err) || httpstream.IsHTTPSProxyError(err)
	})
}

// withTerminal gives the terminal to the program in the container, key by key, and puts it back afterwards.
func withTerminal(in io.Reader, run func(remotecommand.TerminalSizeQueue) error) error {
	f, ok := in.(*os.File)
	if !ok || !term.IsTerminal(int(f.Fd())) {
		return run(nil)
	}
	old, err := term.MakeRaw(int(f.Fd()))
	if err != nil {
		return fmt.Errorf("preparing the terminal: %w", err)
	}
	defer func() { _ = term.Restore(int(f.Fd()), old) }()
	sizes := &resizes{fd: int(f.Fd()), changed: make(chan os.Signal, 1)}
	sizes.changed <- syscall.SIGWINCH
	signal.Notify(sizes.changed, syscall.SIGWINCH)
	defer signal.Stop(sizes.changed)
	return run(sizes)
}

// resizes tells the size of the terminal, at first and whenever it changes.
type resizes struct {
	fd      int
	changed chan os.Signal
}

// Next waits for a change.
func (r *resizes) Next() *remotecommand.TerminalSize {
	<-r.changed
	w, h, err := term.GetSize(r.fd)
	if err != nil {
		return nil
	}
	return &remotecommand.TerminalSize{Width: uint16(w), Height: uint16(h)} // a terminal has few columns
}
