package crd

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// server is an API server that has definitions, and serves those that are applied after a while.
type server struct {
	client.Client

	have    map[string]*apiextensionsv1.CustomResourceDefinition
	applied []string
	after   time.Duration
	// begins is when what was applied is served.
	begins map[string]time.Time
}

func (s *server) Get(_ context.Context, key client.ObjectKey, into client.Object, _ ...client.GetOption) error {
	have, ok := s.have[key.Name]
	if begins, applied := s.begins[key.Name]; applied && !time.Now().Before(begins) {
		have = served(nil)
		s.have[key.Name] = have
	}
	if !ok {
		return apierrors.NewNotFound(schema.GroupResource{Resource: "customresourcedefinitions"}, key.Name)
	}
	have.DeepCopyInto(into.(*apiextensionsv1.CustomResourceDefinition))
	return nil
}

func (s *server) Apply(_ context.Context, o runtime.ApplyConfiguration, _ ...client.ApplyOption) error {
	name := o.(interface{ GetName() string }).GetName()
	s.applied = append(s.applied, name)
	s.have[name], s.begins[name] = definition(nil), time.Now().Add(s.after)
	return nil
}

func told(c *apiextensionsv1.CustomResourceDefinition, kind apiextensionsv1.CustomResourceDefinitionConditionType,
	status apiextensionsv1.ConditionStatus, message string) *apiextensionsv1.CustomResourceDefinition {
	c.Status.Conditions = append(c.Status.Conditions, apiextensionsv1.CustomResourceDefinitionCondition{
		Type: kind, Status: status, Message: message})
	return c
}

// served is a definition that the API server serves.
func served(change func(*apiextensionsv1.CustomResourceDefinition,
	*apiextensionsv1.JSONSchemaProps)) *apiextensionsv1.CustomResourceDefinition {
	return told(definition(change), apiextensionsv1.Established, apiextensionsv1.ConditionTrue, "")
}

func world(have ...*apiextensionsv1.CustomResourceDefinition) *server {
	s := &server{have: map[string]*apiextensionsv1.CustomResourceDefinition{}, begins: map[string]time.Time{}}
	for _, c := range have {
		s.have[c.Name] = c
	}
	return s
}

// says ends a test unless an error has these words; no words are no error.
func says(t *testing.T, err error, want string) {
	t.Helper()
	if (err == nil) != (want == "") || err != nil && !strings.Contains(err.Error(), want) {
		t.Fatalf("got %v, want %q", err, want)
	}
}

func TestWait(t *testing.T) {
	const limit = time.Minute
	for name, c := range map[string]struct {
		server *server
		want   string
		takes  time.Duration
	}{
		"served": {server: world(served(nil))},
		"names taken": {server: world(told(definition(nil), apiextensionsv1.NamesAccepted, apiextensionsv1.ConditionFalse,
			`"apps" is already in use`)),
			want: `definition apps.example: its names are taken: "apps" is already in use; remove the other definition`},
		"not served": {server: world(told(definition(nil), apiextensionsv1.NamesAccepted, apiextensionsv1.ConditionTrue, "")),
			want: "waiting for definitions apps.example: ", takes: limit},
		"not there": {server: world(), want: "waiting for definitions apps.example: ", takes: limit},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				ctx, cancel := context.WithTimeout(t.Context(), limit)
				defer cancel()
				begin := time.Now()
				err := Wait(ctx, c.server, definition(nil))
				says(t, err, c.want)
				if took := time.Since(begin); took != c.takes || errors.Is(err, context.DeadlineExceeded) != (c.takes > 0) {
					t.Errorf("it took %s, want %s: %v", took, c.takes, err)
				}
			})
		})
	}
}

func TestEnsure(t *testing.T) {
	tighter := func(_ *apiextensionsv1.CustomResourceDefinition, s *apiextensionsv1.JSONSchemaProps) {
		s.Required = []string{"name"}
	}
	const owner = "installer"
	ours := served(nil)
	ours.ManagedFields = []metav1.ManagedFieldsEntry{{Manager: owner, Operation: metav1.ManagedFieldsOperationApply}}
	apiextensionsv1.SetObjectDefaults_CustomResourceDefinition(ours)
	for name, c := range map[string]struct {
		server  *server
		change  func(*apiextensionsv1.CustomResourceDefinition, *apiextensionsv1.JSONSchemaProps)
		applied []string
		want    string
	}{
		"new":                 {server: world(), applied: []string{"apps.example"}},
		"somebody else's":     {server: world(served(nil)), applied: []string{"apps.example"}},
		"there already":       {server: world(ours)},
		"would break objects": {server: world(served(nil)), change: tighter, want: ".spec.name becomes required"},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				c.server.after = time.Second
				err := Ensure(t.Context(), c.server, owner, definition(c.change))
				says(t, err, c.want)
				if errors.Is(err, ErrIncompatible) != (c.want != "") {
					t.Errorf("the error is %v", err)
				}
				if !slices.Equal(c.server.applied, c.applied) {
					t.Errorf("it applied %v, want %v", c.server.applied, c.applied)
				}
				if served, err := established(c.server.have["apps.example"]); err != nil || !served {
					t.Errorf("it ended before the definition was served: %v", err)
				}
			})
		})
	}
}
