package apiserver

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"mime"
	"net/http"
	"reflect"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/json"
	"k8s.io/apimachinery/pkg/util/validation/field"
	"k8s.io/apiserver/pkg/endpoints/handlers/fieldmanager"
	genericapirequest "k8s.io/apiserver/pkg/endpoints/request"
	"k8s.io/apiserver/pkg/registry/rest"
	"sigs.k8s.io/yaml"
)

// locked is what the real server says about an outdated resourceVersion.
const locked = "the object has been modified; please apply your changes to the latest version and try again"

func (r *request) strategy() strategy { return r.kind().strategies[r.version][r.sub] }

func (r *request) scoped() context.Context {
	return genericapirequest.WithNamespace(r.Context(), r.namespace)
}

// in returns a copy of an object in the version of the request.
func (r *request) in(u *unstructured.Unstructured, version string) *unstructured.Unstructured {
	out := u.DeepCopy()
	out.SetGroupVersionKind(r.kind().at(version))
	return out
}

// decode reads the object in the body and brings it into its stored form.
func (s *Server) decode(r *request) (*unstructured.Unstructured, error) {
	media, _, _ := mime.ParseMediaType(r.Header.Get("Content-Type"))
	if media == runtime.ContentTypeProtobuf {
		return s.protobuf(r)
	}
	return r.fromJSON(r.body, media == "application/yaml")
}

func (s *Server) protobuf(r *request) (*unstructured.Unstructured, error) {
	o, _, err := s.codecs.UniversalDeserializer().Decode(r.body, nil, nil)
	if err != nil {
		return nil, apierrors.NewBadRequest("reading the object: " + err.Error())
	}
	if got := reflect.TypeOf(o); r.kind().typed == nil || got != reflect.TypeOf(r.kind().typed()) {
		return nil, apierrors.NewBadRequest(fmt.Sprintf("the object provided is a %s, not a %s", got, r.kind().gvk.Kind))
	}
	u := r.kind().empty(r.version)
	if err := r.kind().untyped(o, u); err != nil {
		return nil, err
	}
	r.kind().fill(u)
	return u, nil
}

// fromJSON reads JSON or YAML.
func (r *request) fromJSON(raw []byte, inYAML bool) (*unstructured.Unstructured, error) {
	u := r.kind().empty(r.version)
	want := u.GroupVersionKind()
	if inYAML {
		var err error
		if raw, err = yaml.YAMLToJSON(raw); err != nil {
			return nil, apierrors.NewBadRequest("reading the object: " + err.Error())
		}
	}
	if err := json.Unmarshal(raw, &u.Object); err != nil || u.Object == nil {
		return nil, apierrors.NewBadRequest(fmt.Sprintf("reading the object: %v", err))
	}
	if got := u.GroupVersionKind(); !got.Empty() && got != want {
		return nil, apierrors.NewBadRequest(fmt.Sprintf(
			"the API version in the data (%s) does not match the expected API version (%s)", got, want))
	}
	u.SetGroupVersionKind(want)
	if err := r.kind().clean(u); err != nil {
		return nil, apierrors.NewBadRequest(err.Error())
	}
	r.kind().fill(u)
	return u, nil
}

func (s *Server) create(r *request) (answer, error) {
	u, err := s.decode(r)
	if err != nil {
		return answer{}, err
	}
	if u.GetResourceVersion() != "" {
		return answer{}, fmt.Errorf("resourceVersion should not be set on objects to be created")
	}
	m, err := r.kind().fields(r.version, r.sub)
	if err != nil {
		return answer{}, err
	}
	o := m.UpdateNoErrors(r.kind().empty(r.version), u, r.manager())
	return s.add(r, o.(*unstructured.Unstructured))
}

// add stores a new object.
func (s *Server) add(r *request, u *unstructured.Unstructured) (answer, error) {
	rest.WipeObjectMetaSystemFields(u)
	rest.FillObjectMetaSystemFields(u)
	u.SetResourceVersion("")
	st := r.strategy()
	if u.GetName() == "" && u.GetGenerateName() != "" {
		u.SetName(st.GenerateName(u.GetGenerateName()))
	}
	if r.kind().namespaced && r.namespace == "" {
		return answer{}, apierrors.NewBadRequest("the namespace is missing in the path")
	}
	if err := rest.BeforeCreate(st, r.scoped(), u); err != nil {
		return answer{}, err
	}
	if r.shelf.objects[key(u)] != nil {
		return answer{}, apierrors.NewAlreadyExists(r.kind().group(), u.GetName())
	}
	return s.commit(r, http.StatusCreated, u)
}

// commit stores u, unless the request is a dry run, and answers with it.
func (s *Server) commit(r *request, code int, u *unstructured.Unstructured) (answer, error) {
	u = r.in(u, r.kind().gvk.Version)
	if r.dry() {
		raw, err := json.Marshal(u.Object)
		if err != nil {
			return answer{}, err
		}
		return r.object(code, &entry{obj: u, raw: raw})
	}
	if err := s.stored(r.kind(), u); err != nil {
		return answer{}, err
	}
	e, err := s.put(r.shelf, u)
	if err != nil {
		return answer{}, err
	}
	return r.object(code, e)
}

func (s *Server) update(r *request) (answer, error) {
	u, err := s.decode(r)
	if err != nil {
		return answer{}, err
	}
	if err := r.named(u); err != nil {
		return answer{}, err
	}
	m, err := r.kind().fields(r.version, r.sub)
	if err != nil {
		return answer{}, err
	}
	have := r.shelf.objects[r.key()]
	if have == nil {
		if r.sub != "" || !r.strategy().AllowCreateOnUpdate(r.scoped()) {
			return answer{}, apierrors.NewNotFound(r.kind().group(), r.name)
		}
		return s.add(r, m.UpdateNoErrors(r.kind().empty(r.version), u, r.manager()).(*unstructured.Unstructured))
	}
	if uid := u.GetUID(); uid != "" && uid != have.obj.GetUID() {
		return answer{}, apierrors.NewConflict(r.kind().group(), r.name, errors.New(
			"Precondition failed: UID in precondition: "+string(uid)+", UID in object meta: "+string(have.obj.GetUID())))
	}
	old := r.in(have.obj, r.version)
	return s.replace(r, have, old, m.UpdateNoErrors(old, u, r.manager()).(*unstructured.Unstructured))
}

// named fills and checks the name of an object that came in.
func (r *request) named(u *unstructured.Unstructured) error {
	if u.GetName() == "" {
		u.SetName(r.name)
	}
	if u.GetName() != r.name {
		return apierrors.NewBadRequest(fmt.Sprintf("the name of the object (%s) does not match the name on the URL (%s)",
			u.GetName(), r.name))
	}
	return nil
}

// replace stores a changed object: it checks the version, prepares, validates, and writes nothing if nothing changed.
func (s *Server) replace(r *request, have *entry, old, u *unstructured.Unstructured) (answer, error) {
	st, ctx := r.strategy(), r.scoped()
	switch rv := u.GetResourceVersion(); {
	case rv == old.GetResourceVersion():
	case rv != "" && rv != "0":
		return answer{}, apierrors.NewConflict(r.kind().group(), r.name, errors.New(locked))
	case !st.AllowUnconditionalUpdate(ctx):
		path := field.NewPath("metadata", "resourceVersion")
		return answer{}, apierrors.NewInvalid(schema.GroupKind{Group: r.kind().gvk.Group, Kind: r.kind().plural}, r.name,
			field.ErrorList{field.Invalid(path, 0, "must be specified for an update")})
	}
	u.SetResourceVersion(old.GetResourceVersion())
	if err := rest.BeforeUpdate(st, ctx, u, old); err != nil {
		return answer{}, err
	}
	o, err := fieldmanager.IgnoreManagedFieldsTimestampsTransformer(ctx, u, old)
	if err != nil {
		return answer{}, err
	}
	u = o.(*unstructured.Unstructured)
	if old.GetDeletionTimestamp() != nil && len(u.GetFinalizers()) == 0 {
		return s.finish(r, u)
	}
	if reflect.DeepEqual(u.Object, old.Object) {
		return r.object(http.StatusOK, have)
	}
	return s.commit(r, http.StatusOK, u)
}

// finish removes an object whose last finalizer went.
func (s *Server) finish(r *request, u *unstructured.Unstructured) (answer, error) {
	u = r.in(u, r.kind().gvk.Version)
	if r.dry() {
		return s.commit(r, http.StatusOK, u)
	}
	if err := s.drop(r.shelf, u); err != nil {
		return answer{}, err
	}
	raw, err := json.Marshal(u.Object) // at the version before the deletion
	if err != nil {
		return answer{}, err
	}
	return r.object(http.StatusOK, &entry{obj: u, raw: raw})
}

// drop removes an object, and what goes with it.
func (s *Server) drop(sh *shelf, u *unstructured.Unstructured) error {
	if err := s.remove(sh, key(u)); err != nil {
		return err
	}
	s.removed(sh.kind, u)
	return nil
}

// encodeJSON returns the JSON of an object, for patches.
func encodeJSON(u *unstructured.Unstructured) ([]byte, error) {
	b := &bytes.Buffer{}
	if err := unstructured.UnstructuredJSONScheme.Encode(u, b); err != nil {
		return nil, fmt.Errorf("encoding %s %s: %w", u.GetKind(), u.GetName(), err)
	}
	return b.Bytes(), nil
}
