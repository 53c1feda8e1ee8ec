// Package horizon runs the dashboard.
//
// OpenStack facts: Horizon is one WSGI application of Django. It acts as the user who is logged in, so it has no user
// of its own, and it is in no catalog. It keeps nothing but sessions, which hold the users' tokens, in memcached. Its
// style sheets and scripts are compressed when the image is made, for the plugins that the image has: which of them a
// user sees is decided by the catalog and by the policies of the services (openstack_dashboard/settings.py).
package horizon

import (
	_ "embed"

	corev1 "k8s.io/api/core/v1"

	"stackwright.dev/kit"
	"stackwright.dev/kit/ref"
	"stackwright.dev/kit/step"

	servicev1 "stackwright.dev/stackwright/api/service/v1alpha1"
	"stackwright.dev/stackwright/internal/service"
)

type (
	horizon = servicev1.Horizon
	scope   = step.Scope[*horizon]
	api     = service.Service[*horizon]
)

const (
	stepKey  = "secret-key"
	refKey   = "secret-key"
	refLogos = "logos"
	logos    = "logos"
)

// The settings are a module that reads what differs from Horizon's own, and the script is what uwsgi runs.
const (
	settingsModule = "stackwright_horizon"
	scriptFile     = "stackwright_horizon_wsgi.py"
)

//go:embed horizon.py
var settingsProgram []byte

//go:embed wsgi.py
var scriptProgram []byte

// Definition is the controller of dashboards.
func Definition(cluster service.Cluster) kit.Definition[*horizon] {
	s := api{
		Name: "horizon", UID: 42420, Home: "/var/lib/horizon",
		Script: service.Folder + "/config/" + scriptFile, Port: 8443, Web: true,
		// It renders a page, of templates and of the compressed files, and asks neither Keystone nor memcached.
		Health: "/auth/login/",
		// Users send images through it, and wait for other services.
		Streams:     true,
		Environment: environment,
		Memcached:   func(h *horizon) string { return h.Spec.Memcached },
		Identity:    func(h *horizon) servicev1.Identity { return servicev1.Identity{Keystone: h.Spec.Keystone} },
		Guest:       true,
		Reads:       []string{refKey, refLogos}, After: []string{stepKey}, Sees: []string{service.StepEndpoints},
		Files: func(*horizon) map[string][]byte {
			return map[string][]byte{settingsModule + ".py": settingsProgram, scriptFile: scriptProgram}
		},
		Mounts: []service.Mount[*horizon]{{Name: logos, ConfigMap: logosName}},
		UWSGI: []string{
			"static-map = /static/dashboard/img=" + service.Folder + "/" + logos,
			"static-map = /static=/var/lib/openstack-dashboard/static",
		},
		Cluster: cluster,
	}
	s.Keys = settings(s)
	return kit.Definition[*horizon]{
		Name: s.Name,
		New:  func() *horizon { return &horizon{} },
		Refs: append(s.Refs(),
			ref.Local(refKey, &corev1.Secret{}, keyName, ref.Fields[*horizon](service.KeyPassword)),
			ref.Local(refLogos, &corev1.ConfigMap{}, logosName)),
		Steps:  append(s.Steps(), s.PasswordStep(stepKey, keyName, step.Condition[*horizon]("KeyReady"))),
		Report: s.Report,
	}
}

func environment(string) []corev1.EnvVar {
	return []corev1.EnvVar{{Name: "DJANGO_SETTINGS_MODULE", Value: settingsModule}}
}

// keyName names the Secret of the key that all pods sign with what browsers keep.
func keyName(h *horizon) string { return h.Name + "-secret-key" }

func logosName(h *horizon) string { return h.Spec.Branding.Logos }
