package keystone

import (
	"crypto/hmac"
	"crypto/sha256"
	_ "embed"
	"encoding/hex"

	"sigs.k8s.io/controller-runtime/pkg/client"

	"stackwright.dev/kit/outcome"

	"stackwright.dev/stackwright/internal/service"
)

// bootstrapScript calls keystone-manage with the password of a file.
//
//go:embed bootstrap.py
var bootstrapScript string

const (
	configPath   = service.Folder + "/config/" + configFile
	passwordPath = service.Folder + "/admin/" + service.KeyPassword
)

// manage is the command line of keystone-manage.
func manage(args ...string) []string {
	return append([]string{"keystone-manage", "--config-file", configPath}, args...)
}

// expand adds to the schema what the release needs and moves data; older pods go on with it.
func expand(*scope) (pod, error) {
	return pod{Component: stepExpand, Command: []string{"sh", "-ec",
		`keystone-manage --config-file "$0" db_sync --expand; keystone-manage --config-file "$0" db_sync --migrate`, configPath,
	}}, nil
}

// contract removes from the schema what only older releases needed. It runs when no older pod is left.
func contract(*scope) (pod, error) {
	return pod{Component: stepContract, Command: manage("db_sync", "--contract")}, nil
}

// bootstrap makes what is needed for the first login, and sets the admin's password. It runs again when an endpoint or the
// password changes.
func (s server) bootstrap(sc *scope) (pod, error) {
	k := sc.Owner()
	urls := s.Endpoints(sc)
	if urls.Public == "" {
		return pod{}, &outcome.Missing{On: "Service " + k.Name + "-public",
			Message: "the public Service has no address yet; see kubectl describe service " + k.Name + "-public"}
	}
	return pod{
		Component: stepBootstrap,
		Command: append([]string{"python3", "-c", bootstrapScript, passwordPath, "--config-file", configPath},
			"bootstrap",
			"--bootstrap-region-id", k.Spec.Region,
			"--bootstrap-public-url", urls.Public,
			"--bootstrap-internal-url", urls.Internal),
		Mounts:      []mount{{Name: "admin", Secret: adminName, Keys: []string{service.KeyPassword}}},
		Annotations: map[string]string{"service.stackwright.dev/password": seal(sc)},
	}, nil
}

// seal changes with the password and tells nothing about it: it is keyed with another secret, so that a weak password
// cannot be found by trying.
func seal(sc *scope) string {
	h := hmac.New(sha256.New, []byte(sc.Value(service.RefDatabase, "password")))
	h.Write([]byte(sc.Value(refAdmin, service.KeyPassword)))
	return hex.EncodeToString(h.Sum(nil))[:16]
}

// trustFlush removes expired trusts.
func (s server) trustFlush(sc *scope) ([]client.Object, error) {
	k := sc.Owner()
	schedule := k.Spec.TrustFlush.Schedule
	if schedule == "" {
		schedule = "1 * * * *"
	}
	job := s.Cron(k, stepTrusts, schedule, pod{Component: stepTrusts, Command: manage("trust_flush")})
	job.Spec.Suspend = new(k.Spec.TrustFlush.Suspend)
	return []client.Object{job}, nil
}
