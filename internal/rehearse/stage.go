package rehearse

import (
	"context"
	"fmt"
	"maps"
	"slices"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/apiutil"

	"stackwright.dev/kit/owner"
	"stackwright.dev/kit/ref"
	"stackwright.dev/kit/step"
)

// stage is what the players see: what was made so far, before what the cluster has.
type stage struct {
	ctx      context.Context
	scheme   *runtime.Scheme
	reader   client.Reader
	operated bool
	preset   func(client.Object) error
	players  []Player
	objects  map[schema.GroupKind]map[client.ObjectKey]client.Object
	// turns are the owners that were played.
	turns  []turn
	result *Result
}

func (s *stage) note(format string, args ...any) {
	s.result.Notes = append(s.result.Notes, fmt.Sprintf(format, args...))
}

func (s *stage) put(gk schema.GroupKind, o client.Object) {
	if s.objects[gk] == nil {
		s.objects[gk] = map[client.ObjectKey]client.Object{}
	}
	s.objects[gk][client.ObjectKeyFromObject(o)] = o
}

// get returns an object of the prototype's kind, nil when there is none.
func (s *stage) get(proto client.Object, key client.ObjectKey) client.Object {
	gvk, err := apiutil.GVKForObject(proto, s.scheme)
	if err != nil {
		return nil
	}
	if o := s.objects[gvk.GroupKind()][key]; o != nil {
		return o
	}
	if s.reader == nil {
		return nil
	}
	o, ok := proto.DeepCopyObject().(client.Object)
	if !ok || s.reader.Get(s.ctx, key, o) != nil {
		return nil
	}
	return o
}

// standIn makes an object that has nothing but its name, and has what its controller would make of it, such as its
// certificate, without listing that. What matters of Secrets and ConfigMaps is their content, for which there are other
// stand-ins.
func (s *stage) standIn(proto client.Object, key client.ObjectKey) client.Object {
	switch proto.(type) {
	case *corev1.Secret, *corev1.ConfigMap:
		return nil
	}
	gvk, err := apiutil.GVKForObject(proto, s.scheme)
	if err != nil {
		return nil
	}
	o, ok := proto.DeepCopyObject().(client.Object)
	if !ok {
		return nil
	}
	o.SetName(key.Name)
	o.SetNamespace(key.Namespace)
	o.GetObjectKind().SetGroupVersionKind(gvk)
	s.note("%s %s has to exist", gvk.Kind, key.Name)
	made, turns, refused := len(s.result.Made), len(s.turns), len(s.result.Refused)
	if err := s.enter(o); err != nil {
		s.note("what is made of %s %s cannot be known: %s", gvk.Kind, key.Name, err)
	}
	s.result.Made, s.turns, s.result.Refused = s.result.Made[:made], s.turns[:turns], s.result.Refused[:refused]
	return o
}

func (s *stage) secret(key client.ObjectKey) map[string][]byte {
	if o, ok := s.get(&corev1.Secret{}, key).(*corev1.Secret); ok {
		return o.Data
	}
	return nil
}

// finish does what the cluster would: it gives load balancers an address of the range for documentation.
func (s *stage) finish(o client.Object) {
	svc, ok := o.(*corev1.Service)
	if !ok || svc.Spec.Type != corev1.ServiceTypeLoadBalancer {
		return
	}
	if live, ok := s.live(svc).(*corev1.Service); ok {
		svc.Status = live.Status
		return
	}
	svc.Status.LoadBalancer.Ingress = []corev1.LoadBalancerIngress{{IP: "192.0.2.1"}}
}

func (s *stage) live(o client.Object) client.Object {
	if s.reader == nil {
		return nil
	}
	c, ok := o.DeepCopyObject().(client.Object)
	if !ok || s.reader.Get(s.ctx, client.ObjectKeyFromObject(o), c) != nil {
		return nil
	}
	return c
}

// view shows the stage to the scope of one owner's steps.
type view[T owner.Object] struct {
	stage *stage
	owner T
	refs  []ref.Ref[T]
	made  map[string][]client.Object
	// playing is the step that is being played; nil between steps.
	playing *step.Step[T]
	// unsure are the steps that were shown less than there may be.
	unsure map[string]bool
}

// doubt notes that the step that is being played would perhaps make something else.
func (v *view[T]) doubt() {
	if v.playing != nil {
		v.unsure[v.playing.Name] = true
	}
}

// Referenced returns the objects of a reference. One that a person would have to make is stood for by an empty one.
func (v *view[T]) Referenced(name string) []client.Object {
	var out []client.Object
	for i := range v.refs {
		if v.refs[i].Name != name {
			continue
		}
		for _, key := range v.refs[i].Keys(v.owner) {
			o := v.stage.get(v.refs[i].Kind, key)
			if key.Name == "" || o == nil && !v.refs[i].Optional {
				v.doubt()
			}
			if o == nil && !v.refs[i].Optional {
				o = v.stage.standIn(v.refs[i].Kind, key)
			}
			out = append(out, o)
		}
	}
	return out
}

// Content returns the content of a referenced Secret or ConfigMap. What a person would have to make, or something
// outside of Kubernetes would tell, is stood for by its name.
func (v *view[T]) Content(name string) map[string][]byte {
	var out map[string][]byte
	for _, c := range v.Contents(name) {
		out = merge(out, c, nil)
	}
	return out
}

// Contents is Content of each object.
func (v *view[T]) Contents(name string) []map[string][]byte {
	var out []map[string][]byte
	for i := range v.refs {
		if v.refs[i].Name != name {
			continue
		}
		for _, key := range v.refs[i].Keys(v.owner) {
			out = append(out, v.contentOf(&v.refs[i], key))
		}
	}
	return out
}

func (v *view[T]) contentOf(r *ref.Ref[T], key types.NamespacedName) map[string][]byte {
	o := v.stage.get(r.Kind, key)
	out := merge(nil, content(o), r.Fields)
	if r.Optional {
		return out
	}
	if o == nil {
		v.doubt()
	}
	if o == nil && len(r.Fields) == 0 {
		v.stage.note("%s %s has to exist", kindOf(r.Kind), key.Name)
	}
	for _, field := range r.Fields {
		if _, ok := out[field]; !ok {
			v.stage.note("%s has to have key %s", key.Name, field)
			out = merge(out, map[string][]byte{field: []byte("<" + field + " of " + key.Name + ">")}, nil)
		}
	}
	return out
}

// has tells whether everything that the references need is there.
func (v *view[T]) has(names []string) bool {
	for i := range v.refs {
		r := &v.refs[i]
		if r.Optional || !slices.Contains(names, r.Name) {
			continue
		}
		for _, key := range r.Keys(v.owner) {
			o := v.stage.get(r.Kind, key)
			if o == nil {
				return false
			}
			for _, field := range r.Fields {
				if _, ok := content(o)[field]; !ok {
					return false
				}
			}
		}
	}
	return true
}

// Child returns an object that a step made. A step that looks at what it made itself sees what the cluster has.
func (v *view[T]) Child(step, kind, name string) client.Object {
	for _, o := range v.made[step] {
		if o.GetObjectKind().GroupVersionKind().Kind == kind && o.GetName() == name {
			return o
		}
	}
	if v.playing == nil || v.playing.Name != step {
		return nil
	}
	for _, proto := range v.playing.Makes {
		gvk, err := apiutil.GVKForObject(proto, v.stage.scheme)
		if o, ok := proto.DeepCopyObject().(client.Object); ok && err == nil && gvk.Kind == kind {
			o.SetNamespace(v.owner.GetNamespace())
			o.SetName(name)
			return v.stage.live(o)
		}
	}
	return nil
}

// kindOf names the kind of what has content.
func kindOf(o client.Object) string {
	if _, ok := o.(*corev1.ConfigMap); ok {
		return "ConfigMap"
	}
	return "Secret"
}

func content(o client.Object) map[string][]byte {
	switch o := o.(type) {
	case *corev1.Secret:
		return o.Data
	case *corev1.ConfigMap:
		out := map[string][]byte{}
		for k, v := range o.Data {
			out[k] = []byte(v)
		}
		return out
	}
	return nil
}

// merge adds the named keys, all when none is named.
func merge(to, from map[string][]byte, keys []string) map[string][]byte {
	if to == nil && from != nil {
		to = map[string][]byte{}
	}
	if len(keys) == 0 {
		maps.Copy(to, from)
		return to
	}
	for _, k := range keys {
		if v, ok := from[k]; ok {
			to[k] = v
		}
	}
	return to
}
