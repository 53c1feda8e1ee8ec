package kittest

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// Main runs the tests of a package with a real kube-apiserver of their own, which live is set to before. It is all that
// a TestMain has to do:
//
//	var live *rest.Config
//
//	func TestMain(m *testing.M) { kittest.Main(m, &live) }
func Main(m *testing.M, live **rest.Config) {
	cfg, stop, err := DevCluster()
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	*live = cfg
	code := m.Run()
	stop()
	os.Exit(code)
}

// DevCluster starts a real etcd and kube-apiserver, `devcluster apiserver`, and returns a configuration for it and what
// stops it. The program is the one that DEVCLUSTER names, else bin/devcluster of the repository. Use Main where a
// TestMain has nothing else to do.
func DevCluster() (*rest.Config, func(), error) {
	program, err := program()
	if err != nil {
		return nil, nil, err
	}
	ctx, cancel := context.WithCancel(context.Background())
	cmd := exec.CommandContext(ctx, program, "apiserver")
	cmd.Stderr = os.Stderr
	stdin, err := cmd.StdinPipe()
	if err != nil {
		cancel()
		return nil, nil, fmt.Errorf("connecting to %s: %w", program, err)
	}
	stdout, err := cmd.StdoutPipe()
	if err != nil {
		cancel()
		return nil, nil, fmt.Errorf("connecting to %s: %w", program, err)
	}
	if err := cmd.Start(); err != nil {
		cancel()
		return nil, nil, fmt.Errorf("starting %s: %w", program, err)
	}
	stop := func() {
		stdin.Close()
		_ = cmd.Process.Signal(os.Interrupt) // or by this
		_ = cmd.Wait()                       // how it ends does not matter
		cancel()
	}
	line, err := bufio.NewReader(stdout).ReadString('\n')
	if err != nil {
		stop()
		return nil, nil, fmt.Errorf("waiting for the API server of %s: %w", program, err)
	}
	cfg, err := clientcmd.BuildConfigFromFlags("", strings.TrimSpace(line))
	if err != nil {
		stop()
		return nil, nil, fmt.Errorf("reading the kubeconfig of %s: %w", program, err)
	}
	cfg.QPS = -1
	return cfg, stop, nil
}

func program() (string, error) {
	if p := os.Getenv("DEVCLUSTER"); p != "" {
		return p, nil
	}
	dir, err := os.Getwd()
	for ; err == nil && dir != "/"; dir = filepath.Dir(dir) {
		p := filepath.Join(dir, "bin", "devcluster")
		if info, err := os.Stat(p); err == nil && !info.IsDir() {
			return p, nil
		}
	}
	return "", errors.New("there is no bin/devcluster; run `make build`, or set DEVCLUSTER to the program")
}

// install brings the definitions of the scenario, and its namespaces, to a real server.
func (p *Play) install() error {
	ctx := p.T.Context()
	crdScheme := runtime.NewScheme()
	if err := apiextensionsv1.AddToScheme(crdScheme); err != nil {
		return err
	}
	c, err := client.New(p.config, client.Options{Scheme: crdScheme})
	if err != nil {
		return err
	}
	for _, crd := range p.world.crds {
		if err := c.Create(ctx, crd.DeepCopy()); err != nil && !apierrors.IsAlreadyExists(err) {
			return fmt.Errorf("creating CustomResourceDefinition %s: %w", crd.Name, err)
		}
	}
	if err := p.serve(ctx, p.world.crds); err != nil {
		return err
	}
	for _, ns := range p.namespaces() {
		u := &unstructured.Unstructured{}
		u.SetAPIVersion("v1")
		u.SetKind("Namespace")
		u.SetName(ns)
		if err := p.Client.Create(ctx, u); err != nil && !apierrors.IsAlreadyExists(err) {
			return fmt.Errorf("creating namespace %s: %w", ns, err)
		}
	}
	return nil
}

// serve waits until the server answers for all definitions. It asks for all at once: at the first list of a kind the
// server fills a cache, which takes it a second.
func (p *Play) serve(ctx context.Context, crds []*definition) error {
	answers := make([]error, len(crds))
	for end := time.Now().Add(time.Minute); ; p.Pass(10 * time.Millisecond) {
		var wg sync.WaitGroup
		for i, crd := range crds {
			wg.Go(func() { answers[i] = p.ask(ctx, crd.CustomResourceDefinition) })
		}
		wg.Wait()
		err := errors.Join(answers...)
		if err == nil || time.Now().After(end) {
			return err
		}
	}
}

func (p *Play) ask(ctx context.Context, crd *apiextensionsv1.CustomResourceDefinition) error {
	l := &unstructured.UnstructuredList{}
	l.SetAPIVersion(crd.Spec.Group + "/" + crd.Spec.Versions[0].Name)
	l.SetKind(crd.Spec.Names.ListKind)
	if err := p.Client.List(ctx, l, client.Limit(1)); err != nil {
		return fmt.Errorf("CustomResourceDefinition %s is not served: %w", crd.Name, err)
	}
	return nil
}

// wipe removes the objects of a play from a real server, finalizers or not.
func (p *Play) wipe() {
	ctx := context.WithoutCancel(p.T.Context())
	for _, u := range p.Objects() {
		if u.GetKind() == "Namespace" {
			continue
		}
		if len(u.GetFinalizers()) > 0 {
			base := u.DeepCopy()
			u.SetFinalizers(nil)
			p.must("releasing "+name(u), client.IgnoreNotFound(p.Client.Patch(ctx, u, client.MergeFrom(base))))
		}
		p.must("removing "+name(u), client.IgnoreNotFound(p.Client.Delete(ctx, u, client.GracePeriodSeconds(0),
			client.PropagationPolicy("Background"))))
	}
}
