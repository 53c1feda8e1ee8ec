package resources_test

import (
	"errors"
	"net/http"
	"strconv"
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

// dying fails to write the status of a Project once the Project was made.
func dying(name string) kittest.Fault {
	var made atomic.Bool
	return func(x *kittest.Exchange, send func() (*http.Response, error)) (*http.Response, error) {
		if made.Load() && strings.Contains(x.Path, "/projects/"+name+"/status") {
			return nil, errors.New("the process is dying")
		}
		if x.Outside && x.Method == http.MethodPost && strings.Contains(string(x.Body), strconv.Quote(name)) {
			defer made.Store(true)
		}
		return send()
	}
}

// The operator dies after it has made a resource and before that is on the books, and the object is deleted before it
// starts again: the resource goes all the same, whether the object had waited before or not.
func TestDeletedBeforeItIsOnTheBooks(t *testing.T) {
	mall := one("Project", "default", "mall", "resource: {}")
	shop := one("Project", "default", "shop", "resource: {parentRef: {name: mall}}")
	for name, order := range map[string][]string{"at once": {mall, shop}, "after a wait": {shop, mall}} {
		t.Run(name, func(t *testing.T) {
			s := stage(t, nil, namespace("default"), credentials("default"), cloudIn("default"),
				one("Project", "default", "other", "resource: {}"))
			kittest.New(t, s).Run(t, func(p *kittest.Play) {
				p.Suffer(dying("shop"))
				for _, object := range order {
					create(p, object)
					p.Settle()
				}
				wantIn(p, "Project", 3)
				p.Stop()
				p.Suffer(nil)
				p.Remove("Project/shop")
				p.Start()
				p.Settle()
				if p.Object("Project/shop") != nil {
					t.Error("the object is left")
				}
				wantIn(p, "Project", 2)
			})
		})
	}
}
