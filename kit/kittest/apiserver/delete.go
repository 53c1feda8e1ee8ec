package apiserver

import (
	"bytes"
	"fmt"
	"net/http"
	"slices"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/json"
)

func (s *Server) delete(r *request) (answer, error) {
	have := r.shelf.objects[r.key()]
	if have == nil {
		return answer{}, apierrors.NewNotFound(r.kind().group(), r.name)
	}
	options, err := s.deleteOptions(r)
	if err != nil {
		return answer{}, err
	}
	if err := preconditions(r, have.obj, options.Preconditions); err != nil {
		return answer{}, err
	}
	u := have.obj.DeepCopy()
	u.SetFinalizers(finalizers(r.kind(), u, options))
	if len(u.GetFinalizers()) == 0 {
		if !r.dry() {
			if err := s.drop(r.shelf, u); err != nil {
				return answer{}, err
			}
		}
		return encoded(http.StatusOK, gone(r.kind(), u)), nil
	}
	if mark(u); slices.Equal(u.GetFinalizers(), have.obj.GetFinalizers()) && have.obj.GetDeletionTimestamp() != nil {
		return r.object(http.StatusOK, have)
	}
	return s.commit(r, http.StatusOK, u)
}

// deleteOptions reads them from the body and from the query.
func (s *Server) deleteOptions(r *request) (*metav1.DeleteOptions, error) {
	o := &metav1.DeleteOptions{}
	switch {
	case len(r.body) == 0:
	case bytes.HasPrefix(r.body, []byte("k8s\x00")):
		got, _, err := s.codecs.UniversalDeserializer().Decode(r.body, nil, nil)
		opts, ok := got.(*metav1.DeleteOptions)
		if err != nil || !ok {
			return nil, apierrors.NewBadRequest(fmt.Sprintf("reading the delete options: %v", err))
		}
		o = opts
	default:
		if err := json.Unmarshal(r.body, o); err != nil {
			return nil, apierrors.NewBadRequest(fmt.Sprintf("reading the delete options: %v", err))
		}
	}
	if p := metav1.DeletionPropagation(r.query.Get("propagationPolicy")); p != "" {
		o.PropagationPolicy = &p
	}
	if len(o.DryRun) > 0 {
		r.query.Set("dryRun", o.DryRun[0])
	}
	return o, nil
}

func preconditions(r *request, u *unstructured.Unstructured, p *metav1.Preconditions) error {
	kind := schema.GroupResource{Group: r.kind().gvk.Group, Resource: r.kind().gvk.Kind}
	if p == nil {
		return nil
	}
	if p.UID != nil && *p.UID != u.GetUID() {
		return apierrors.NewConflict(kind, r.name, fmt.Errorf("the UID in the precondition (%s) does not match the UID "+
			"in record (%s). The object might have been deleted and then recreated", *p.UID, u.GetUID()))
	}
	if p.ResourceVersion != nil && *p.ResourceVersion != u.GetResourceVersion() {
		return apierrors.NewConflict(kind, r.name, fmt.Errorf("the ResourceVersion in the precondition (%s) does not match "+
			"the ResourceVersion in record (%s). The object might have been modified",
			*p.ResourceVersion, u.GetResourceVersion()))
	}
	return nil
}

// finalizers returns the object's finalizers with those of the garbage collector that the options ask for. Jobs and
// ReplicationControllers orphan their dependents unless told otherwise.
func finalizers(k *kind, u *unstructured.Unstructured, o *metav1.DeleteOptions) []string {
	collector := []string{metav1.FinalizerOrphanDependents, metav1.FinalizerDeleteDependents}
	var out, had []string
	for _, f := range u.GetFinalizers() {
		if slices.Contains(collector, f) {
			had = append(had, f)
			continue
		}
		out = append(out, f)
	}
	switch {
	case o.PropagationPolicy != nil && *o.PropagationPolicy == metav1.DeletePropagationOrphan:
		return append(out, metav1.FinalizerOrphanDependents)
	case o.PropagationPolicy != nil && *o.PropagationPolicy == metav1.DeletePropagationForeground:
		return append(out, metav1.FinalizerDeleteDependents)
	case o.PropagationPolicy != nil:
		return out
	case len(had) > 0:
		return append(out, had...)
	case k.gvk.Kind == "Job" || k.gvk.Kind == "ReplicationController":
		return append(out, metav1.FinalizerOrphanDependents)
	}
	return out
}

// mark notes that the object is being deleted.
func mark(u *unstructured.Unstructured) {
	if u.GetDeletionTimestamp() != nil {
		return
	}
	if g := u.GetGeneration(); g > 0 {
		u.SetGeneration(g + 1)
	}
	u.SetDeletionTimestamp(&metav1.Time{Time: time.Now()})
	u.SetDeletionGracePeriodSeconds(new(int64))
}

func gone(k *kind, u *unstructured.Unstructured) *metav1.Status {
	return &metav1.Status{
		TypeMeta: metav1.TypeMeta{Kind: "Status", APIVersion: "v1"}, Status: metav1.StatusSuccess,
		Details: &metav1.StatusDetails{Name: u.GetName(), Group: k.gvk.Group, Kind: k.plural, UID: u.GetUID()},
	}
}

func (s *Server) deleteCollection(r *request) (answer, error) {
	f, err := r.filter()
	if err != nil {
		return answer{}, err
	}
	all := r.shelf.sorted(f)
	for _, e := range all {
		one := *r
		one.namespace, one.name = e.obj.GetNamespace(), e.obj.GetName()
		if _, err := s.delete(&one); err != nil {
			return answer{}, err
		}
	}
	return r.page(s.rv, all, "", 0)
}

// stored reacts to an object that is about to be stored: a definition is checked, established and served.
func (s *Server) stored(k *kind, u *unstructured.Unstructured) error {
	if k.gvk.Kind != "CustomResourceDefinition" || u.GetDeletionTimestamp() != nil {
		return nil
	}
	return s.establish(u)
}

// removed reacts to an object that is gone: with a definition go its objects.
func (s *Server) removed(k *kind, u *unstructured.Unstructured) {
	if k.gvk.Kind != "CustomResourceDefinition" {
		return
	}
	crd, err := definition(u)
	if err != nil {
		return
	}
	sh := s.kinds[groupKind(crd)]
	if sh == nil {
		return
	}
	for _, e := range sh.sorted(everything) {
		if err := s.drop(sh, e.obj); err != nil {
			return
		}
	}
	s.tour = &tour{}
	delete(s.kinds, groupKind(crd))
	delete(s.shelves, sh.kind.group())
}
