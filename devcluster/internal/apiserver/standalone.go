package apiserver

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"path/filepath"
	"time"

	"golang.org/x/sys/unix"

	"stackwright.dev/devcluster/internal/etcd"
	"stackwright.dev/devcluster/internal/pki"
)

const (
	readyTimeout = 60 * time.Second
	logTail      = 4 << 10
)

// Standalone is an API server on the loopback interface, in this very process together with its etcd: one process
// starts faster than two and cannot be survived by half of itself.
type Standalone struct {
	DataDir    string // kept when given; otherwise a temporary folder that is removed
	Kubeconfig string // where to write the kubeconfig; in the data folder when empty
	Out        io.Writer
	Serve      func(args []string) error // runs kube-apiserver, which is not linked to this package
}

// Run serves until ctx is done. It prints the path of the kubeconfig when the server is ready.
func (s Standalone) Run(ctx context.Context) error {
	folder, remove, err := openFolder(s.DataDir)
	if err != nil {
		return err
	}
	defer remove()
	if s.Kubeconfig == "" {
		s.Kubeconfig = filepath.Join(folder, "kubeconfig")
	}
	config := Config{
		Etcd: folder, Keys: folder, Address: "127.0.0.1", Services: "10.0.0.0/24", Hosts: []string{"10.0.0.1"},
	}
	if config.Port, err = freePort(); err != nil {
		return err
	}
	if err := s.prepare(config); err != nil {
		return err
	}
	logfile := filepath.Join(folder, "log")
	restore, err := redirect(logfile)
	if err != nil {
		return err
	}
	if err := s.serve(ctx, config); err != nil {
		restore()
		return fmt.Errorf("%w; the end of its log:\n%s", err, tail(logfile))
	}
	return nil
}

func (s Standalone) prepare(config Config) error {
	authority, err := pki.OpenAuthority(config.Keys, "devcluster")
	if err != nil {
		return err
	}
	if err := config.Prepare(authority); err != nil {
		return err
	}
	admin, err := authority.Ensure(config.Keys, "admin", pki.Subject{Name: "admin", Groups: []string{"system:masters"}})
	if err != nil {
		return err
	}
	access := pki.Access{
		Name: "devcluster", Server: config.URL(), Authority: authority.Certificate(), Client: admin,
	}
	return access.WriteKubeconfig(s.Kubeconfig)
}

func (s Standalone) serve(ctx context.Context, config Config) error {
	database, err := etcd.Start(config.Etcd)
	if err != nil {
		return err
	}
	failed := make(chan error, 1)
	go func() { failed <- s.serveAPI(config) }()
	ready := make(chan error, 1)
	go func() {
		ctx, cancel := context.WithTimeout(ctx, readyTimeout)
		defer cancel()
		ready <- WaitReady(ctx, s.Kubeconfig)
	}()
	for {
		select {
		case <-ctx.Done():
			return nil
		case err := <-ready:
			if err != nil {
				return err
			}
			fmt.Fprintln(s.Out, s.Kubeconfig)
			ready = nil
		case err := <-failed:
			return fmt.Errorf("serving the API: %w", err)
		case err := <-database.Failed():
			return fmt.Errorf("serving etcd: %w", err)
		}
	}
}

func (s Standalone) serveAPI(config Config) error {
	args := append(config.Arguments(),
		"--authorization-mode=RBAC",
		// No controller manager makes the service accounts that this plugin wants for every pod.
		"--disable-admission-plugins=ServiceAccount",
		"--endpoint-reconciler-type=none",
	)
	if err := s.Serve(args); err != nil {
		return err
	}
	return errors.New("kube-apiserver stopped")
}

func freePort() (int, error) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return 0, fmt.Errorf("finding a free port: %w", err)
	}
	defer listener.Close()
	return listener.Addr().(*net.TCPAddr).Port, nil
}

// redirect sends everything that the linked servers print to a file, until restore is called. After a good end it is
// not: still running, they complain of the folder that is being removed.
func redirect(path string) (restore func(), err error) {
	file, err := os.OpenFile(path, os.O_CREATE|os.O_WRONLY|os.O_APPEND, 0o600)
	if err != nil {
		return nil, fmt.Errorf("opening log: %w", err)
	}
	defer file.Close()
	saved, err := unix.FcntlInt(uintptr(unix.Stderr), unix.F_DUPFD_CLOEXEC, 0)
	if err != nil {
		return nil, fmt.Errorf("keeping standard error: %w", err)
	}
	if err := unix.Dup3(int(file.Fd()), unix.Stderr, 0); err != nil {
		return nil, fmt.Errorf("redirecting log: %w", err)
	}
	return func() { _ = unix.Dup3(saved, unix.Stderr, 0) }, nil
}

func tail(path string) string {
	content, err := os.ReadFile(path)
	if err != nil {
		return err.Error()
	}
	return string(content[max(0, len(content)-logTail):])
}
