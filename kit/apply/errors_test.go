package apply

import (
	"errors"
	"net/http"
	"strings"
	"testing"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"stackwright.dev/kit/outcome"
)

// What a person can do about a refusal follows from its words, where its class is that of many.
func TestClassifyTellsWhatToDo(t *testing.T) {
	resource := schema.GroupResource{Group: "apps", Resource: "deployments"}
	said := func(code int32, text string) error {
		return &apierrors.StatusError{ErrStatus: metav1.Status{Status: metav1.StatusFailure, Code: code, Message: text}}
	}
	for name, c := range map[string]struct {
		err   error
		class outcome.Class
		do    string
	}{
		"a field that an older definition lacks": {said(http.StatusInternalServerError, "failed to create typed patch "+
			"object (shop/web; example.com/v1, Kind=Web): .spec.new: field not declared in schema"), outcome.Unavailable,
			"apply the CustomResourceDefinitions of the operator's version"},
		"a right": {apierrors.NewForbidden(resource, "web", errors.New(`cannot patch resource "deployments" in API group `+
			`"apps"`)), outcome.Denied, "give the operator the right that it names"},
		"a quota": {apierrors.NewForbidden(resource, "web", errors.New("exceeded quota: small")), outcome.Quota,
			"raise the ResourceQuota"},
		"something else": {said(http.StatusInternalServerError, "etcd is tired"), outcome.Unavailable, "it is tried again"},
	} {
		if o := Classify(c.err); o.Class != c.class || !strings.Contains(o.Message, c.do) {
			t.Errorf("%s: %s: %s", name, o.Class, o.Message)
		}
	}
}
