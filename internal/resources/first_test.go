package resources_test

import (
	"errors"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/yaml"

	"stackwright.dev/kit/kittest"
)

func create(p *kittest.Play, object string) {
	p.T.Helper()
	u := &unstructured.Unstructured{}
	if err := yaml.Unmarshal([]byte(object), &u.Object); err != nil {
		p.T.Fatal(err)
	}
	p.Create(u)
}

// The operator dies after it has made a resource and before that is on the books, and the object is deleted before it
// starts again: the resource goes all the same, whether the object had waited before or not.
func TestDeletedBeforeItIsOnTheBooks(t *testing.T) {
	for name, later := range map[string]bool{"at once": false, "after a wait": true} {
		t.Run(name, func(t *testing.T) {
			project := one("Project", "default", "shop", "resource: {parentRef: {name: mall}}")
			s := stage(t, nil, namespace("default"), credentials("default"), cloudIn("default"),
				one("Project", "default", "mall", "resource: {}"))
			kittest.New(t, s).Run(t, func(p *kittest.Play) {
				p.Ready()
				if later {
					p.Remove("Project/mall")
					p.Settle()
				}
				var made atomic.Bool
				dying := func(x *kittest.Exchange, send func() (*http.Response, error)) (*http.Response, error) {
					if made.Load() && strings.Contains(x.Path, "/projects/shop/status") {
						return nil, errors.New("the process is dying")
					}
					if x.Outside && x.Method == http.MethodPost && strings.Contains(string(x.Body), `"shop"`) {
						defer made.Store(true)
					}
					return send()
				}
				if later {
					create(p, project)
					p.Settle()
				}
				p.Suffer(dying)
				if later {
					create(p, one("Project", "default", "mall", "resource: {}"))
				} else {
					create(p, project)
				}
				p.Settle()
				wantIn(p, "Project", 2)
				p.Stop()
				p.Suffer(nil)
				p.Remove("Project/shop")
				p.Start()
				p.Settle()
				if p.Object("Project/shop") != nil {
					t.Error("the object is left")
				}
				wantIn(p, "Project", 1)
			})
		})
	}
}
