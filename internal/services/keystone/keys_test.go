package keystone_test

import (
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"stackwright.dev/kit/kittest"

	"stackwright.dev/stackwright/internal/service/fernet"
	"stackwright.dev/stackwright/internal/service/servicetest"
)

// Keys are rotated on time, and nothing but their Secret changes.
func TestFernetKeysRotate(t *testing.T) {
	kittest.New(t, scenario(t, "spec: {fernet: {rotationInterval: 12h}}")).Run(t, func(p *kittest.Play) {
		p.Settle()
		first := secret(p, "identity-fernet")
		want := []string{"secrets/identity-fernet", "secrets/identity-fernet-copy"}
		if got := writes(p, func() { p.Pass(12 * time.Hour) }); !cmp.Equal(got, want) {
			t.Errorf("it wrote %v", got)
		}
		second := secret(p, "identity-fernet")
		if second["2"] != first["0"] || second["1"] != first["1"] || second["0"] == first["0"] {
			t.Errorf("the staged key did not become the primary: %v", names(second))
		}
		p.Pass(10 * 24 * time.Hour)
		p.Settle()
		// A rotation every 12 h and tokens of up to 49 h: the staged key, the primary, and five before it.
		if got := numbers(secret(p, "identity-fernet")); got != 7 {
			t.Errorf("there are %d keys: %v", got, names(secret(p, "identity-fernet")))
		}
		p.Change(identity, "spec.fernet.maxActiveKeys", int64(6))
		p.Settle()
		c := p.Condition(identity, "FernetKeysReady")
		if c.Reason != "TooFewKeys" || !strings.Contains(c.Message, "need 7") {
			t.Errorf("with too few keys the condition is %s: %s", c.Reason, c.Message)
		}
	})
}

// Tokens that are to be good for ever, as the option's limit allows, keep all keys.
func TestKeysOfEndlessTokensStay(t *testing.T) {
	s := scenario(t, "spec: {fernet: {rotationInterval: 24h}, config: {token: {expiration: 9223372037}}}")
	kittest.New(t, s).Run(t,
		func(p *kittest.Play) {
			p.Settle()
			p.Pass(4 * 24 * time.Hour)
			p.Settle()
			if got := numbers(secret(p, "identity-fernet")); got < 6 {
				t.Errorf("after four rotations there are %d keys", got)
			}
		})
}

// numbers is how many keys a ring has.
func numbers(ring map[string]string) int {
	n := 0
	for name := range ring {
		if _, err := strconv.Atoi(name); err == nil {
			n++
		}
	}
	return n
}

// Keys that somebody deletes come back as they were. With their copy gone, too, tokens get new ones; what credentials
// are encrypted with is not replaced: a person says what is to be.
func TestKeysComeBack(t *testing.T) {
	kittest.New(t, scenario(t, "")).Run(t, func(p *kittest.Play) {
		p.Ready()
		for _, name := range []string{"identity-fernet", "identity-credential"} {
			before := secret(p, name)
			p.Remove("Secret/cloud/" + name)
			p.Settle()
			p.Ready()
			if diff := cmp.Diff(before, secret(p, name)); diff != "" {
				t.Errorf("%s is not what it was (-before +after):\n%s", name, diff)
			}
			p.Stop()
			p.Remove("Secret/cloud/" + name)
			p.Remove("Secret/cloud/" + name + "-copy")
			p.Start()
			p.Settle()
		}
		c := p.Condition(identity, "CredentialKeysReady")
		if c.Reason != "KeysLost" || !strings.Contains(c.Message, "restore it from a backup") ||
			p.Object("Secret/cloud/identity-credential") != nil {
			t.Errorf("without the keys of credentials the condition is %s: %s", c.Reason, c.Message)
		}
		if c := p.Condition(identity, "FernetKeysReady"); c.Status != "True" || numbers(secret(p, "identity-fernet")) != 2 {
			t.Errorf("tokens have no new keys: %s", c.Message)
		}
		key := fernet.NewKey()
		p.Create(servicetest.SecretOf("identity-credential", map[string][]byte{"1": key}))
		p.Settle()
		p.Ready()
		if got := secret(p, "identity-credential"); got["1"] != string(key) || got["0"] == "" {
			t.Errorf("the keys are %v", names(got))
		}
	})
}

// A key that somebody has broken does not go on to the copy, which has the right one still.
func TestBrokenKeysAreTold(t *testing.T) {
	kittest.New(t, scenario(t, "")).Run(t, func(p *kittest.Play) {
		p.Ready()
		for name, condition := range map[string]string{
			"identity-fernet": "FernetKeysReady", "identity-credential": "CredentialKeysReady",
		} {
			servicetest.TellsBrokenKeys(p, identity, condition, name)
		}
	})
}

// The oldest credential key goes only after a Job has encrypted everything with the newest.
func TestCredentialKeysRotate(t *testing.T) {
	kittest.New(t, scenario(t, "spec: {credential: {rotationInterval: 24h}, fernet: {rotationInterval: 2400h}}")).Run(t,
		func(p *kittest.Play) {
			p.Settle()
			p.Behave("Job", kittest.Hold)
			p.Pass(25 * time.Hour)
			p.Settle()
			if !slices.Contains(jobs(p), "identity-credential-migrate-2") {
				t.Errorf("the Jobs are %v", jobs(p))
			}
			held := secret(p, "identity-credential")
			if held["0"] != held["2"] || held["1"] == "" {
				t.Errorf("a key was let go before the migration: %v", names(held))
			}
			p.Behave("Job", kittest.Ready)
			p.Settle()
			p.Ready()
			if done := secret(p, "identity-credential"); done["0"] == done["2"] {
				t.Error("no new key was staged after the migration")
			}
			p.Pass(24 * time.Hour)
			p.Settle()
			if got := names(secret(p, "identity-credential")); !cmp.Equal(got, []string{"0", "2", "3", "rotated", "staged"}) {
				t.Errorf("after the second rotation there are %v", got)
			}
		})
}
