package keystone

import (
	"crypto/hmac"
	"crypto/sha256"
	_ "embed"
	"encoding/hex"
	"strings"

	"sigs.k8s.io/controller-runtime/pkg/client"

	"stackwright.dev/kit/outcome"

	"stackwright.dev/stackwright/internal/service"
)

// bootstrapScript calls keystone-manage with the password of a file. The command itself takes it as an argument or from
// the environment, where others could read it. Put into the environment from inside, it is seen by this process alone.
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
	const sync = `keystone-manage --config-file "$0" db_sync`
	return pod{Component: stepExpand, Alone: true,
		Command: []string{"sh", "-ec", sync + " --expand; " + sync + " --migrate", configPath}}, nil
}

// contract removes from the schema what only older releases needed. It runs when no older pod is left.
func contract(*scope) (pod, error) {
	return pod{Component: stepContract, Alone: true, Command: manage("db_sync", "--contract")}, nil
}

// bootstrap makes what is needed for the first login, and sets the admin's password. It runs again when an endpoint or
// the password changes.
func (s server) bootstrap(sc *scope) (pod, error) {
	k := sc.Owner()
	if sc.Err() == nil && password(sc) == "" {
		return pod{}, outcome.Invalidf("Secret %s has an empty %s; set a password", adminName(k), service.KeyPassword)
	}
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

// password of the user admin. Files that people make end in a line feed, which is not meant.
func password(sc *scope) string {
	return strings.TrimRight(sc.Value(refAdmin, service.KeyPassword), "\r\n")
}

// seal changes with the password and tells nothing about it: it is keyed with another secret, so that a weak password
// cannot be found by trying.
func seal(sc *scope) string {
	h := hmac.New(sha256.New, []byte(sc.Value(service.RefDatabase, "password")))
	h.Write([]byte(password(sc)))
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
