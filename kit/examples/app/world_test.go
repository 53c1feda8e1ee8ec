package app_test

import (
	"errors"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"k8s.io/apimachinery/pkg/runtime"
	clientgoscheme "k8s.io/client-go/kubernetes/scheme"

	"stackwright.dev/kit"
	"stackwright.dev/kit/examples/app"
	"stackwright.dev/kit/examples/app/api/v1alpha1"
	"stackwright.dev/kit/kittest"
	"stackwright.dev/kit/kittest/endpoint"
)

// scenario is an App in a namespace with its Secret, and a directory service in memory.
func scenario(t *testing.T) kittest.Scenario {
	t.Helper()
	scheme := runtime.NewScheme()
	for _, add := range []func(*runtime.Scheme) error{clientgoscheme.AddToScheme, v1alpha1.AddToScheme} {
		if err := add(scheme); err != nil {
			t.Fatal(err)
		}
	}
	return kittest.Scenario{
		Scheme: scheme,
		Controllers: func(outside http.RoundTripper) ([]kit.Controller, error) {
			c, err := kit.New(app.Definition(outside), scheme)
			return []kit.Controller{c}, err
		},
		CRDs:    []string{"crd"},
		Files:   []string{"testdata/app.yaml"},
		Outside: func() http.RoundTripper { return endpoint.New() },
	}
}

func TestReady(t *testing.T) { kittest.New(t, scenario(t)).Ready(t) }

// TestGolden compares what is applied with a file, which go test -update writes.
func TestGolden(t *testing.T) { kittest.New(t, scenario(t)).Golden(t, "testdata/app.golden.yaml") }

// TestBudget wants no request from a run at rest.
func TestBudget(t *testing.T) { kittest.New(t, scenario(t)).Budget(t, 0, 0) }

// TestDelete wants nothing to be left, whatever was gone before.
func TestDelete(t *testing.T) {
	w := kittest.New(t, scenario(t))
	for name, before := range map[string]func(*kittest.Play){
		"running":       nil,
		"operator down": (*kittest.Play).Stop,
		"secret gone":   func(p *kittest.Play) { p.Remove("Secret/db-password") },
	} {
		t.Run(name, func(t *testing.T) { w.Delete(t, before) })
	}
}

// TestDrift wants people's edits of fields that are ours to be healed, and others to be left alone.
func TestDrift(t *testing.T) {
	w := kittest.New(t, scenario(t))
	w.Drift(t, "ConfigMap/web-config", "data.directory", "elsewhere")
	w.Drift(t, "Deployment/web", "spec.template.spec.serviceAccountName", "other")
	w.Drift(t, "ServiceAccount/web", "", nil)
	w.Foreign(t, "ConfigMap/web-config", "data.extra", "1")
}

// TestCrash kills the operator at each of its requests and starts it again: the end is the same.
func TestCrash(t *testing.T) { kittest.New(t, scenario(t)).Crash(t, nil) }

// TestFaults lets each request in turn go wrong in all these ways.
func TestFaults(t *testing.T) {
	w := kittest.New(t, scenario(t))
	w.Faults(t, nil, kittest.HTTP(http.StatusConflict), kittest.HTTP(http.StatusTooManyRequests),
		kittest.HTTP(http.StatusInternalServerError), kittest.HTTP(http.StatusGatewayTimeout), kittest.Timeout,
		kittest.StaleCache(5*time.Second), kittest.DroppedWatch(3*time.Second))
}

// TestCrashChange kills the operator while it works off a change, a switched-off step and a deletion.
func TestCrashChange(t *testing.T) {
	for name, script := range map[string]func(*kittest.Play){
		"change": func(p *kittest.Play) { p.Change("App/web", "spec.image", "example.test/web:2") },
		"prune":  func(p *kittest.Play) { p.Change("App/web", "spec.public", false) },
		"delete": func(p *kittest.Play) { p.Remove("App/web") },
	} {
		t.Run(name, func(t *testing.T) { kittest.New(t, scenario(t)).Crash(t, script) })
	}
}

func TestJobFails(t *testing.T) {
	s := scenario(t)
	s.Children = map[string]kittest.Behaviour{"Job": kittest.Fail("table users is locked")}
	kittest.New(t, s).Run(t, func(p *kittest.Play) {
		c := p.Condition("App/web", "Ready")
		if c.Status != "False" || !strings.Contains(c.Message, "table users is locked") {
			t.Errorf("condition Ready is %s with %q, want False and the last words of the Job", c.Status, c.Message)
		}
		if p.Object("Deployment/web") != nil {
			t.Error("the Deployment was made although the migration failed")
		}
	})
}

func TestHeldBack(t *testing.T) {
	s := scenario(t)
	s.Children = map[string]kittest.Behaviour{"Deployment/web": kittest.Hold}
	kittest.New(t, s).Run(t, func(p *kittest.Play) {
		if c := p.Condition("App/web", "Ready"); c.Status == "True" {
			t.Errorf("Ready is %s while the Deployment is not rolled out", c.Status)
		}
		p.Behave("Deployment/web", kittest.Ready)
		p.Settle()
		p.Ready()
	})
}

// The operator dies after it has made an account and before its status tells so, and the App is deleted before it
// starts again: the account goes all the same.
func TestDeletedBeforeItIsOnTheBooks(t *testing.T) {
	s := scenario(t)
	s.Fault = func() kittest.Fault {
		var made atomic.Bool
		return func(x *kittest.Exchange, send func() (*http.Response, error)) (*http.Response, error) {
			if made.Load() && strings.Contains(x.Path, "/status") {
				return nil, errors.New("the process is dying")
			}
			if x.Outside && x.Method == http.MethodPost {
				defer made.Store(true)
			}
			return send()
		}
	}()
	kittest.New(t, s).Run(t, func(p *kittest.Play) {
		p.Stop()
		p.Suffer(nil)
		if outside, ok := p.Outside.(*endpoint.Endpoint); !ok || len(outside.All("accounts")) != 1 {
			t.Fatal("there is no account before the deletion")
		}
		p.Remove("App/web")
		p.Start()
		p.Settle()
		p.Empty()
	})
}
