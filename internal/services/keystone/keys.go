package keystone

import (
	"fmt"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"stackwright.dev/kit/outcome"
	"stackwright.dev/kit/step"

	"stackwright.dev/stackwright/internal/service"
	"stackwright.dev/stackwright/internal/service/fernet"
	"stackwright.dev/stackwright/internal/service/oslo"
)

// Upstream's defaults of section token, in seconds: how long a token is good, and how much longer services may still
// ask about it when a long operation outlives it.
const (
	tokenExpiration = 3600
	expiredWindow   = 172800
)

// forever is as long as a token may be good here: the options of Keystone take more seconds than there are times.
const forever = 100 * 365 * 24 * time.Hour

// Rotation when the object does not say, as its schema has it.
const (
	fernetInterval     = 24 * time.Hour
	credentialInterval = 30 * 24 * time.Hour
	// credentialKeys is how many Keystone allows: the staged one, the primary, and the one before.
	credentialKeys = 3
)

// fernetStep keeps the keys that make tokens.
func (s server) fernetStep() step.Step[*keystone] {
	return step.Secret(stepFernet, func(sc *scope, have map[string][]byte) (*step.Generated, error) {
		file, err := oslo.Parse(sc.Value(refOptions, configFile))
		if err != nil {
			return nil, fmt.Errorf("reading the configuration: %w", err)
		}
		p := fernet.Policy{
			Interval: orDefault(sc.Owner().Spec.Fernet.RotationInterval, fernetInterval),
			Life:     seconds(file, "expiration", tokenExpiration),
			Window:   seconds(file, "allow_expired_window", expiredWindow),
		}
		if p.Keep, err = keep(sc.Owner(), p.Interval, p.Life+p.Window); err != nil {
			return nil, err
		}
		return s.rotate(sc, have, fernetName(sc.Owner()), p)
	}, fernetName, step.Copied[*keystone](), s.Keep(), reads(refOptions), after(service.StepConfig), setup(),
		step.Condition[*keystone]("FernetKeysReady"))
}

// credentialStep keeps the keys that encrypt stored credentials. The oldest goes only when a Job has encrypted
// everything with the newest. Keys that were lost are not replaced: what they encrypt would be lost as well.
func (s server) credentialStep() step.Step[*keystone] {
	return step.Secret(stepCredential, func(sc *scope, have map[string][]byte) (*step.Generated, error) {
		k, r := sc.Owner(), fernet.Load(have, sc.Now())
		if k.Status.KeySecret != "" && r.Empty() {
			return nil, &outcome.Error{Class: outcome.Invalid, Reason: "KeysLost", Err: fmt.Errorf(
				"the keys of all stored credentials are gone with Secret %s: restore it from a backup, or make it anew from "+
					"the files in %s of a pod of the API that runs; if nobody has a credential of EC2, TOTP or the like, make it "+
					"with any Fernet key under the name 1", credentialName(k), credentialFolder)}
		}
		p := fernet.Policy{
			Interval: orDefault(k.Spec.Credential.RotationInterval, credentialInterval), Keep: credentialKeys,
			Held: !migratedTo(sc, r),
		}
		return s.rotate(sc, have, credentialName(k), p)
	}, credentialName, step.Copied[*keystone](), s.Keep(), reads(refMigrated), setup(),
		step.Condition[*keystone]("CredentialKeysReady"))
}

// credentialFolder is where pods have those keys.
const credentialFolder = service.Folder + "/credential"

func (s server) rotate(sc *scope, have map[string][]byte, name string, p fernet.Policy) (*step.Generated, error) {
	if err := fernet.Check(name, have); err != nil {
		return nil, err
	}
	r := fernet.Load(have, sc.Now())
	next := r.Turn(p, sc.Now())
	return &step.Generated{Next: next, Secret: &corev1.Secret{
		ObjectMeta: metav1.ObjectMeta{Name: name, Namespace: sc.Owner().Namespace, Labels: s.Labels(sc.Owner(), "")},
		Data:       r.Data(),
	}}, nil
}

func orDefault(d metav1.Duration, otherwise time.Duration) time.Duration {
	if d.Duration > 0 {
		return d.Duration
	}
	return otherwise
}

// seconds is the time that an option of section token says.
func seconds(f *oslo.File, option string, otherwise int) time.Duration {
	return time.Duration(min(number(f, "token", option, otherwise), int(forever/time.Second))) * time.Second
}

// keep is the number of keys with which every token outlives its key's time as primary: the staged key, the primary,
// and one for each rotation during the life of a token.
func keep(k *keystone, interval, life time.Duration) (int, error) {
	need := 2 + int((life+interval-1)/interval)
	asked := int(k.Spec.Fernet.MaxActiveKeys)
	switch {
	case asked == 0:
		return max(need, 3), nil
	case asked < need:
		return 0, &outcome.Error{Class: outcome.Invalid, Reason: "TooFewKeys", Err: fmt.Errorf(
			"spec.fernet.maxActiveKeys is %d, with which tokens would become invalid before they expire: a rotation every %s "+
				"and tokens that may be used for %s need %d; set that, leave the field out, or rotate less often",
			asked, interval, life, need)}
	}
	return asked, nil
}
