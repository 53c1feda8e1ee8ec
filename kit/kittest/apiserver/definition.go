package apiserver

import (
	"fmt"
	"maps"
	"slices"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/fields"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
)

// definitions is the resource of definitions.
var definitions = schema.GroupResource{Group: apiextensionsv1.GroupName, Resource: "customresourcedefinitions"}

var everything = filter{labels: labels.Everything(), fields: fields.Everything()}

func definition(u *unstructured.Unstructured) (*apiextensionsv1.CustomResourceDefinition, error) {
	crd := &apiextensionsv1.CustomResourceDefinition{}
	if err := runtime.DefaultUnstructuredConverter.FromUnstructured(u.Object, crd); err != nil {
		return nil, fmt.Errorf("reading CustomResourceDefinition %s: %w", u.GetName(), err)
	}
	return crd, nil
}

func groupKind(crd *apiextensionsv1.CustomResourceDefinition) schema.GroupKind {
	return schema.GroupKind{Group: crd.Spec.Group, Kind: crd.Spec.Names.Kind}
}

// Definition is a CustomResourceDefinition that was checked and compiled. It does not change: servers share it.
type Definition struct {
	catalog *catalog
	kind    *kind
	// entry is the definition as a server has stored it whose first object it was.
	entry *entry
}

// Compile checks and compiles a definition. Most of the time that it takes to make a server is spent here.
func Compile(crd *apiextensionsv1.CustomResourceDefinition) (*Definition, error) {
	s := bare().Fresh()
	if err := s.install(crd); err != nil {
		return nil, err
	}
	name := types.NamespacedName{Name: crd.Name}
	return &Definition{s.catalog, s.kinds[groupKind(crd)].kind, s.shelves[definitions].objects[name]}, nil
}

// include stores a compiled definition and serves its kind. All have the version that they were compiled at, as if one
// transaction had stored them.
func (s *Server) include(d *Definition) error {
	sh, name := s.shelves[definitions], key(d.entry.obj)
	if sh.objects[name] != nil {
		return apierrors.NewAlreadyExists(definitions, name.Name)
	}
	maps.Copy(s.catalog.kinds, d.catalog.kinds)
	s.serve(d.kind)
	sh.objects[name], s.rv = d.entry, d.entry.rv
	sh.events = append(sh.events, event{rv: d.entry.rv, after: d.entry})
	return nil
}

// establish serves the kind of a definition that is about to be stored and writes what the real server's controllers
// write into its status.
func (s *Server) establish(u *unstructured.Unstructured) error {
	crd, err := definition(u)
	if err != nil {
		return err
	}
	k, err := s.catalog.kind(crd)
	if err != nil {
		return apierrors.NewBadRequest(err.Error())
	}
	if !crdName(crd) {
		return apierrors.NewBadRequest(fmt.Sprintf("metadata.name: must be %s.%s, not %s",
			crd.Spec.Names.Plural, crd.Spec.Group, crd.Name))
	}
	s.serve(k)
	crd.Status.AcceptedNames = crd.Spec.Names
	if !slices.Contains(crd.Status.StoredVersions, k.gvk.Version) {
		crd.Status.StoredVersions = append(crd.Status.StoredVersions, k.gvk.Version)
	}
	crd.Status.Conditions = []apiextensionsv1.CustomResourceDefinitionCondition{
		condition(crd, apiextensionsv1.NamesAccepted, "NoConflicts", "no conflicts found"),
		condition(crd, apiextensionsv1.Established, "InitialNamesAccepted", "the initial names have been accepted"),
	}
	m, err := runtime.DefaultUnstructuredConverter.ToUnstructured(&crd.Status)
	if err != nil {
		return fmt.Errorf("writing the status of CustomResourceDefinition %s: %w", crd.Name, err)
	}
	dropNulls(m)
	u.Object["status"] = m
	return nil
}

// condition keeps the time of a condition that was there before.
func condition(crd *apiextensionsv1.CustomResourceDefinition, t apiextensionsv1.CustomResourceDefinitionConditionType,
	reason, message string) apiextensionsv1.CustomResourceDefinitionCondition {
	for _, c := range crd.Status.Conditions {
		if c.Type == t {
			return c
		}
	}
	return apiextensionsv1.CustomResourceDefinitionCondition{
		Type: t, Status: apiextensionsv1.ConditionTrue, Reason: reason, Message: message,
		LastTransitionTime: metav1.Now().Rfc3339Copy(),
	}
}
