package resources

import (
	"fmt"
	"sync"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/types"

	"stackwright.dev/kit/step"

	"stackwright.dev/stackwright/internal/resources/body"
	d "stackwright.dev/stackwright/internal/resources/descriptor"
)

// stepOutput writes what the API makes, and shows to the owner alone, to the Secret that the object names.
const stepOutput = "output"

// outputs are the values that the API showed, by object. They are in no status and no event.
type outputs struct {
	mu  sync.Mutex
	all map[types.UID]string
}

func (o *outputs) set(uid types.UID, v string) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.all == nil {
		o.all = map[types.UID]string{}
	}
	o.all[uid] = v
}

func (o *outputs) get(uid types.UID) string {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.all[uid]
}

func (o *outputs) drop(uid types.UID) {
	o.mu.Lock()
	defer o.mu.Unlock()
	delete(o.all, uid)
}

// outputOf is the field of a kind that the API makes.
func outputOf(k *d.Kind) (d.Field, bool) {
	for _, f := range k.Fields {
		if f.Output {
			return f, true
		}
	}
	return d.Field{}, false
}

// output is the step that writes the Secret.
func (c *controller) output(f d.Field) step.Step[object] {
	generate := func(sc *step.Scope[object], have map[string][]byte) (*step.Generated, error) {
		name, key := placeOf(sc.Owner(), f)
		value := []byte(c.outputs.get(sc.Owner().GetUID()))
		if len(value) == 0 {
			value = have[key]
		}
		if len(value) == 0 {
			return nil, fmt.Errorf("the cloud shows no %s of the %s; it shows it to the project of the zone alone",
				f.API, c.kind.Name)
		}
		out := &corev1.Secret{Type: corev1.SecretTypeOpaque, Data: map[string][]byte{key: value}}
		out.Name, out.Namespace = name, sc.Owner().GetNamespace()
		return &step.Generated{Secret: out}, nil
	}
	s := step.Secret(stepOutput, generate, func(o object) string { name, _ := placeOf(o, f); return name })
	s.After = []string{stepResource}
	s.Adoption = step.Never
	s.When = func(o object) bool { name, _ := placeOf(o, f); return name != "" }
	s.EachRun = true // a resource that was made again has another value
	return s
}

// placeOf is the Secret and the key to which an object wants a value to be written.
func placeOf(o object, f d.Field) (name, key string) {
	declared, err := body.Map(o.Declared())
	if err != nil {
		return "", ""
	}
	m, _ := declared[f.Spec()].(map[string]any)
	name, _ = m["name"].(string)
	key, _ = m["key"].(string)
	return name, key
}
