package servicetest

import (
	"encoding/base64"
	"maps"
	"slices"
	"strings"
	"testing"

	"stackwright.dev/kit/kittest"
)

// accounts: who edits the Secret of a database or of a bus has changed the account's password, everywhere. What is
// written into a database a Job writes anew; no other Job runs for it.
func (k Kind) accounts(t *testing.T) {
	kittest.New(t, k.Scenario(t, "")).Run(t, func(p *kittest.Play) {
		p.Ready()
		names := slices.DeleteFunc(secrets(p), func(name string) bool { return password(Secret(p, name)) == "" })
		for _, name := range names {
			before := Jobs(p)
			was, now := password(Secret(p, name)), "edited-"+name
			had := holders(p, was)
			edit(p, name, was, now)
			if has := holders(p, was); len(has) > 0 {
				t.Errorf("after an edit of %s its old password is in %v", name, has)
			}
			if has := holders(p, now); len(has) != len(had) {
				t.Errorf("after an edit of %s %v have its new password, and before %v had the old one", name, has, had)
			}
			ran := slices.DeleteFunc(Jobs(p), func(job string) bool { return slices.Contains(before, job) })
			var want []string
			if job := k.Notes[name]; job != "" {
				want = []string{job + "-HASH"}
			}
			for i := range ran {
				ran[i] = hashed.ReplaceAllString(ran[i], "-HASH")
			}
			if !slices.Equal(ran, want) {
				t.Errorf("after an edit of %s there run %v, want %v", name, ran, want)
			}
		}
		if len(names) == 0 {
			t.Error("there is no account")
		}
	})
}

// secrets are the names of all Secrets.
func secrets(p *kittest.Play) []string {
	p.T.Helper()
	var out []string
	for _, u := range p.Objects() {
		if u.GetKind() == "Secret" {
			out = append(out, u.GetName())
		}
	}
	return out
}

// password is the one in the address of a database or of a bus; empty without an address.
func password(secret map[string]string) string {
	_, rest, _ := strings.Cut(secret["connection"]+secret["transport_url"], "://")
	account, _, _ := strings.Cut(rest, "@")
	_, password, _ := strings.Cut(account, ":")
	return password
}

// edit writes another password into the Secret of an account.
func edit(p *kittest.Play, name, was, now string) {
	p.T.Helper()
	data := map[string]any{}
	for key, value := range Secret(p, name) {
		data[key] = base64.StdEncoding.EncodeToString([]byte(strings.ReplaceAll(value, was, now)))
	}
	p.Change("Secret/cloud/"+name, "data", data)
	p.Settle()
	p.Ready()
}

// holders are the Secrets that have a text in them.
func holders(p *kittest.Play, text string) []string {
	p.T.Helper()
	return slices.DeleteFunc(secrets(p), func(name string) bool {
		content := slices.Collect(maps.Values(Secret(p, name)))
		return !strings.Contains(strings.Join(content, "\n"), text)
	})
}
