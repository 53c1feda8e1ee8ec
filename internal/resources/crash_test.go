package resources_test

import (
	"reflect"
	"testing"

	"stackwright.dev/kit/kittest"

	d "stackwright.dev/stackwright/internal/resources/descriptor"
)

// crashes plays with a process that dies at the requests of a script; without -whole at one in so many.
func crashes(t *testing.T, w *world, stride int, script func(*kittest.Play)) {
	t.Helper()
	s := w.scenario()
	if !*whole {
		s.Stride = stride
	}
	kittest.New(t, s).Crash(t, script)
}

// A process that dies at any request, before or after it took effect, leaves one resource in the end.
func TestCrash(t *testing.T) {
	for _, k := range writable() {
		t.Run(k.Name, func(t *testing.T) {
			t.Parallel()
			crashes(t, newWorld(t, k), 4, nil)
		})
	}
}

// seldom is a stride by which a change or a deletion is tried once for each way to die.
const seldom = 100

// A process that dies on the way of a change makes it in the end, and makes nothing new.
func TestChangeCrash(t *testing.T) {
	for _, k := range writable() {
		w := newWorld(t, k)
		f, v, ok := w.edit()
		if !ok {
			continue // everything about it is said when it is made
		}
		t.Run(k.Name, func(t *testing.T) {
			w.t = t
			t.Parallel()
			crashes(t, w, seldom, func(p *kittest.Play) {
				p.Change(k.Name+"/sample", "spec.resource."+f.Spec(), v)
				p.Settle()
				p.Ready()
				if n := len(made(w, p)); n != 1 {
					p.T.Errorf("there are %d %s, want 1", n, k.Plural)
				}
			})
		})
	}
}

// edit is the first field that can be changed, and another value of it than that of the sample.
func (w *world) edit() (d.Field, any, bool) {
	edits := w.edits()
	declared, _ := w.spec()["resource"].(map[string]any)
	for _, f := range w.kind.Fields {
		for _, v := range edits[f.API] {
			if !reflect.DeepEqual(v, declared[f.Spec()]) {
				return f, v, true
			}
		}
	}
	return d.Field{}, nil, false
}

// A process that dies on the way of a deletion leaves neither the object nor the resource.
func TestDeleteCrash(t *testing.T) {
	for _, k := range writable() {
		t.Run(k.Name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, k)
			crashes(t, w, seldom, func(p *kittest.Play) {
				p.Remove(k.Name + "/sample")
				p.Settle()
				if p.Object(k.Name+"/sample") != nil {
					p.T.Errorf("the object is still there: %s", says(p, k.Name+"/sample"))
				}
				if n := len(made(w, p)); n != 0 && k.Delete.Method != d.None {
					p.T.Errorf("%d %s are left", n, k.Plural)
				}
			})
		})
	}
}
