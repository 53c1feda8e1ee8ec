package resources_test

import (
	"fmt"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"stackwright.dev/kit/kittest"

	"stackwright.dev/stackwright/internal/openstack/fake"
)

// within is how long after a change of its Secret a Cloud, and all that is in it, may go on as before.
const within = 5 * time.Second

// credentialForms are ways to write a password, or the secret of an application credential, into clouds.yaml.
func credentialForms() map[string]func(secret string) string {
	return map[string]func(string) string{
		"password": func(secret string) string {
			return strings.Replace(fake.New(nil).CloudsYAML(), "password: secret", "password: "+secret, 1)
		},
		"application credential": func(secret string) string {
			return "clouds:\n  fake:\n    auth_type: v3applicationcredential\n    auth:\n" +
				"      auth_url: http://cloud.test/identity/v3\n      application_credential_id: robot\n" +
				"      application_credential_secret: " + secret + "\n    region_name: RegionOne\n"
		},
	}
}

// rotating plays with some projects, a user who refers to one of them, and a network.
func rotating(t *testing.T, clouds string, f func(*kittest.Play)) {
	t.Helper()
	objects := []string{namespace("default"), secret("default", "clouds.yaml", clouds), cloudIn("default"),
		one("User", "default", "ann", "resource: {defaultProjectRef: {name: p0}}"),
		one("Network", "default", "back", "resource: {}")}
	for i := range 5 {
		objects = append(objects, one("Project", "default", fmt.Sprint("p", i), "resource: {description: old}"))
	}
	kittest.New(t, stage(t, nil, objects...)).Run(t, f)
}

// spend changes what each project is to be, so that all of them need the cloud.
func spend(p *kittest.Play, description string) {
	p.T.Helper()
	for i := range 5 {
		p.Change(fmt.Sprint("Project/p", i), "spec.resource.description", description)
	}
}

func wantSpent(p *kittest.Play, description string) {
	p.T.Helper()
	for _, project := range cloudOf(p).All("Project") {
		if project["description"] != description {
			p.T.Errorf("the cloud has %v, want %s", project, description)
		}
	}
}

// A password that has changed in the cloud is told by all that need it. Once the Secret has it all go on within
// seconds, however long they had to do without, and the process is the same.
func TestRotatedTooLate(t *testing.T) {
	for name, form := range credentialForms() {
		for _, without := range []time.Duration{time.Second, time.Minute, time.Hour} {
			t.Run(fmt.Sprint(name, " ", without), func(t *testing.T) {
				t.Parallel()
				rotating(t, form("secret"), func(p *kittest.Play) {
					p.Ready()
					cloudOf(p).Rotate("fresh")
					spend(p, "new")
					p.Pass(without)
					wantSpent(p, "old")
					if without > 2*time.Minute {
						wantSays(p, "Project/p0", "in clouds.yaml")
						wantSays(p, "Cloud/default", "in clouds.yaml")
					}
					p.Change("Secret/default/cloud", `data.clouds\.yaml`, encode(form("fresh")))
					p.Pass(within)
					wantSpent(p, "new")
					p.Ready()
				})
			})
		}
	}
}

// What one credential may not do is done by the next, at once, although the old one is good still.
func TestRotatedForMoreRights(t *testing.T) {
	for name, form := range credentialForms() {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			rotating(t, form("secret"), func(p *kittest.Play) {
				p.Ready()
				var used tokens
				cloudOf(p).SetFault(used.refuse)
				spend(p, "new")
				p.Pass(time.Hour)
				wantSays(p, "Project/p0", "not allowed")
				wantSpent(p, "old")
				used.renewed()
				p.Change("Secret/default/cloud", `data.clouds\.yaml`, encode(strings.NewReplacer("username: robot",
					"username: boss", "credential_id: robot", "credential_id: boss").Replace(form("secret"))))
				p.Pass(within)
				wantSpent(p, "new")
				p.Ready()
			})
		})
	}
}

// tokens are those by which the cloud was asked.
type tokens struct {
	mu  sync.Mutex
	old map[string]bool
	now bool
}

// refuse lets nobody change anything by a token that was there at the beginning.
func (u *tokens) refuse(_ int, r *http.Request) fake.Fault {
	u.mu.Lock()
	defer u.mu.Unlock()
	token := r.Header.Get("X-Auth-Token")
	if u.old == nil {
		u.old = map[string]bool{}
	}
	if !u.now {
		u.old[token] = true
	}
	if u.old[token] && r.Method != http.MethodGet {
		return fake.Refused(http.StatusForbidden, "You are not allowed to do that.")
	}
	return fake.None
}

// renewed says that tokens from now on are others.
func (u *tokens) renewed() {
	u.mu.Lock()
	defer u.mu.Unlock()
	u.now = true
}
