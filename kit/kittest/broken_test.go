package kittest_test

import (
	"context"
	"net/http"
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"stackwright.dev/kit"
	"stackwright.dev/kit/examples/app"
	appv1alpha1 "stackwright.dev/kit/examples/app/api/v1alpha1"
	"stackwright.dev/kit/external"
	"stackwright.dev/kit/kittest"
	"stackwright.dev/kit/step"
)

// broken are operators with a mistake, the check that has to notice it, and what the check says.
var broken = map[string]struct {
	spoil func(*kit.Definition[*appv1alpha1.App], http.RoundTripper)
	check func(*testing.T, *kittest.World)
	says  string
}{
	"never ready": {
		spoil: func(d *kit.Definition[*appv1alpha1.App], _ http.RoundTripper) {
			d.Refs[0].Keys = func(a *appv1alpha1.App) []client.ObjectKey {
				return []client.ObjectKey{{Namespace: a.Namespace, Name: "x"}}
			}
		},
		check: func(t *testing.T, w *kittest.World) { t.Helper(); w.Ready(t) },
		says:  "is not ready",
	},
	"another object": {
		spoil: func(d *kit.Definition[*appv1alpha1.App], _ http.RoundTripper) { add(d, "extra", nil) },
		check: func(t *testing.T, w *kittest.World) { t.Helper(); w.Golden(t, example+"testdata/app.golden.yaml") },
		says:  "app.golden.yaml differs",
	},
	"something new in each run": {
		spoil: func(d *kit.Definition[*appv1alpha1.App], _ http.RoundTripper) {
			now := func(s *step.Scope[*appv1alpha1.App]) string { return s.Now().String() }
			add(d, "clock", now, step.Every[*appv1alpha1.App](time.Minute))
		},
		check: func(t *testing.T, w *kittest.World) { t.Helper(); w.Ready(t) },
		says:  "something changes all the time",
	},
	"left behind": {
		spoil: func(d *kit.Definition[*appv1alpha1.App], _ http.RoundTripper) {
			add(d, "kept", nil, step.KeepWhen(func(*appv1alpha1.App) bool { return true }))
		},
		check: func(t *testing.T, w *kittest.World) { t.Helper(); w.Delete(t, nil) },
		says:  "ConfigMap/kept is left",
	},
	"two accounts": {
		spoil: func(d *kit.Definition[*appv1alpha1.App], outside http.RoundTripper) { forgetful(d, outside) },
		check: func(t *testing.T, w *kittest.World) { t.Helper(); w.Crash(t, nil) },
		says:  "the end state differs",
	},
	"drift stays": {
		check: func(t *testing.T, w *kittest.World) {
			t.Helper()
			w.Drift(t, "ConfigMap/web-config", "data.extra", "1")
		},
		says: "0 writes of the object, want 1",
	},
	"Secrets in the cache": {
		spoil: func(d *kit.Definition[*appv1alpha1.App], _ http.RoundTripper) {
			add(d, "content", nil, step.Makes[*appv1alpha1.App](&corev1.Secret{}), step.Ready[*appv1alpha1.App](
				"Secret", func(client.Object) (bool, string) { return true, "" }))
		},
		check: func(t *testing.T, w *kittest.World) { t.Helper(); w.Ready(t) },
		says:  "asked for many Secrets with their content: GET /api/v1/secrets?",
	},
	"a request at rest": {
		check: func(t *testing.T, w *kittest.World) { t.Helper(); w.Budget(t, -1, 0) },
		says:  "at rest: 0 reads",
	},
}

// add makes one more ConfigMap.
func add(d *kit.Definition[*appv1alpha1.App], name string, value func(*step.Scope[*appv1alpha1.App]) string,
	o ...step.Option[*appv1alpha1.App]) {
	o = append(o, step.Makes[*appv1alpha1.App](&corev1.ConfigMap{}))
	d.Steps = append(d.Steps, step.Objects(name, func(s *step.Scope[*appv1alpha1.App]) ([]client.Object, error) {
		c := &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Name: name}}
		if value != nil {
			c.Data = map[string]string{"value": value(s)}
		}
		return []client.Object{c}, nil
	}, o...))
}

// blind never finds what it made before.
type blind struct{ *app.Directory }

// Find finds nothing.
func (blind) Find(_ context.Context, _ external.Marker, _ app.Account) ([]string, error) {
	return nil, nil
}

func forgetful(d *kit.Definition[*appv1alpha1.App], outside http.RoundTripper) {
	for i := range d.Steps {
		if d.Steps[i].Name != "account" {
			continue
		}
		s := step.External("account", step.Externals[*appv1alpha1.App, app.Account, app.Account]{
			Dial: func(s *step.Scope[*appv1alpha1.App]) (external.Client[app.Account, app.Account], error) {
				return blind{&app.Directory{URL: s.Owner().Spec.Directory, HTTP: &http.Client{Transport: outside}}}, nil
			},
			Want: func(s *step.Scope[*appv1alpha1.App]) (app.Account, error) {
				return app.Account{Name: s.Owner().Namespace + "-" + s.Owner().Name}, nil
			},
		}, step.Condition[*appv1alpha1.App]("AccountReady"))
		d.Steps[i] = s
	}
}

// TestBroken runs itself in another process for each broken operator, and wants that to fail with the right words.
func TestBroken(t *testing.T) {
	if which := os.Getenv("KITTEST_BROKEN"); which != "" {
		b := broken[which]
		s := scenario(t)
		s.Controllers = func(outside http.RoundTripper) ([]kit.Controller, error) {
			d := app.Definition(outside)
			if b.spoil != nil {
				b.spoil(&d, outside)
			}
			c, err := kit.New(d, s.Scheme)
			return []kit.Controller{c}, err
		}
		b.check(t, kittest.New(t, s))
		return
	}
	for name, b := range broken {
		t.Run(name, func(t *testing.T) {
			cmd := exec.CommandContext(t.Context(), os.Args[0], "-test.run=^TestBroken$")
			cmd.Env = append(os.Environ(), "KITTEST_BROKEN="+name)
			out, err := cmd.CombinedOutput()
			if err == nil || !strings.Contains(string(out), b.says) {
				t.Errorf("the check ended with %v and should have said %q:\n%s", err, b.says, out)
			}
		})
	}
}
