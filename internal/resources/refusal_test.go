package resources_test

import (
	"net/http"
	"strings"
	"testing"
	"time"

	"stackwright.dev/kit/kittest"

	"stackwright.dev/stackwright/internal/openstack/fake"
)

// unwilling answers 400 to requests of a method about projects.
func unwilling(method string) func(int, *http.Request) fake.Fault {
	return func(_ int, r *http.Request) fake.Fault {
		if r.Method == method && strings.Contains(r.URL.Path, "/projects") {
			return fake.Refused(http.StatusBadRequest, "No, not like this; correct what it names")
		}
		return fake.None
	}
}

// A deletion that OpenStack takes for a mistake is asked for again, after pauses that grow to minutes, and the object
// says what OpenStack said: nobody could correct an object that is deleted.
func TestRefusedDeletionIsAskedAgain(t *testing.T) {
	s := stage(t, nil, append(good(namespace("default")), shop())...)
	kittest.New(t, s).Run(t, func(p *kittest.Play) {
		p.Ready()
		cloudOf(p).SetFault(unwilling(http.MethodDelete))
		p.Remove("Project/shop")
		asked := len(cloudOf(p).Requests())
		p.Pass(time.Hour)
		wantSays(p, "Project/shop", "No, not like this; correct what it names")
		wantSays(p, "Project/shop", "kit.stackwright.dev/abandon=resource")
		n := 0
		for _, r := range cloudOf(p).Requests()[asked:] {
			if r.Method == http.MethodDelete {
				n++
			}
		}
		if n < 20 || n > 60 {
			t.Errorf("the project is deleted %d times within an hour", n)
		}
		cloudOf(p).SetFault(nil)
		p.Pass(3 * time.Minute)
		wantIn(p, "Project", 0)
		if p.Object("Project/shop") != nil {
			t.Error("the object is left")
		}
	})
}

// An object that OpenStack refused to make goes at once: the pause before the next attempt to make it is none of its
// deletion's.
func TestRefusedObjectIsDeletedAtOnce(t *testing.T) {
	seed := func(c *fake.Cloud) { c.Fault = unwilling(http.MethodPost) }
	s := stage(t, seed, append(good(namespace("default")), shop())...)
	kittest.New(t, s).Run(t, func(p *kittest.Play) {
		p.Pass(time.Minute)
		wantSays(p, "Project/shop", "No, not like this; correct what it names")
		p.Remove("Project/shop")
		p.Pass(20 * time.Second)
		if p.Object("Project/shop") != nil {
			t.Errorf("the object is left: %s", says(p, "Project/shop"))
		}
	})
}
