package reconcile

import (
	"encoding/json"
	"hash/fnv"
	"maps"
	"slices"
	"strconv"
	"strings"

	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"stackwright.dev/kit/apply"
	"stackwright.dev/kit/gate"
	"stackwright.dev/kit/outcome"
	"stackwright.dev/kit/owner"
	"stackwright.dev/kit/ref"
)

// refState is what a run knows of one reference.
type refState struct {
	keys    []types.NamespacedName
	objects []client.Object
	// contents are of the objects that have keys, one for each of keys.
	contents []map[string][]byte
	digest   uint64
	out      *outcome.Outcome
	level    int // 1 + the level in which it was evaluated
}

// content has the keys of all objects; nil when none is there.
func (s *refState) content() map[string][]byte {
	if len(s.contents) == 1 {
		return s.contents[0]
	}
	var all map[string][]byte
	for _, c := range s.contents {
		if all == nil && c != nil {
			all = make(map[string][]byte, len(c))
		}
		maps.Copy(all, c)
	}
	return all
}

// linkRefs makes events of everything the owner refers to wake it, before any of it is read.
func (r *run[T]) linkRefs() {
	var links []refKey
	for j := range r.Refs {
		r.refs[j].keys = r.Refs[j].Keys(r.o)
		for _, k := range r.refs[j].keys {
			links = append(links, refKey{gk: r.refGK[j], key: k})
		}
	}
	r.memories.link(client.ObjectKeyFromObject(r.o), r.mem, links)
}

// evalRefs looks at the references that the steps of a level read. A reference may point to what an earlier level made,
// so it is looked at again in each level.
func (r *run[T]) evalRefs(level []int) {
	for _, i := range level {
		if r.Steps[i].When == nil || r.Steps[i].When(r.o) {
			r.evalReads(i)
		}
	}
}

// evalReads looks at the references of a step, also of one that is off and lets go of what it made.
func (r *run[T]) evalReads(i int) {
	for _, j := range r.reads[i] {
		if r.refs[j].level != r.order+1 {
			r.evalRef(j)
			r.refs[j].level = r.order + 1
		}
	}
}

func (r *run[T]) evalRef(j int) {
	d, st := &r.Refs[j], &r.refs[j]
	st.objects, st.contents, st.out = st.objects[:0], st.contents[:0], nil
	h := fnv.New64a()
	for _, k := range st.keys {
		if k.Name == "" {
			for _, obj := range r.Store.In(r.refGK[j], k.Namespace) {
				st.objects = append(st.objects, obj)
				_, _ = h.Write([]byte(digest(d, obj)))
			}
			continue
		}
		obj := r.Store.Get(r.refGK[j], k)
		st.objects, st.contents = append(st.objects, obj), append(st.contents, nil)
		if obj == nil {
			_, _ = h.Write([]byte("absent"))
			if !d.Optional && st.out == nil {
				st.out = absent(d.Fields, r.refGK[j].Kind, k)
			}
			continue
		}
		if hasContent(d.Kind) {
			st.contents[len(st.contents)-1] = r.readContent(j, obj, h)
		} else {
			_, _ = h.Write([]byte(digest(d, obj)))
		}
		if d.Gate == nil || st.out != nil {
			continue
		}
		if ready, why := d.Gate(obj); !ready {
			st.out = outcome.Wait(name(r.refGK[j].Kind, k.Name), "%s", why)
		}
	}
	st.digest = h.Sum64()
}

type writer interface{ Write([]byte) (int, error) }

// readContent reads the declared fields of a Secret or ConfigMap of reference j; nil when it cannot be read.
func (r *run[T]) readContent(j int, obj client.Object, h writer) map[string][]byte {
	d, st := &r.Refs[j], &r.refs[j]
	kind := r.refGK[j].Kind
	data, err := r.Store.Content(r.ctx, r, kind, obj)
	if err != nil {
		if st.out = apply.Classify(err); st.out.State == outcome.StateFailed {
			r.wake(r.Backoff.Next(string(r.o.GetUID())+"/ref/"+d.Name, st.out.Class, st.out.After))
		}
		return nil
	}
	if data == nil {
		if !d.Optional {
			st.out = absent(d.Fields, kind, client.ObjectKeyFromObject(obj))
		}
		return nil
	}
	fields := d.Fields
	if len(fields) == 0 {
		for k := range data {
			fields = append(fields, k)
		}
		slices.Sort(fields)
	}
	content := make(map[string][]byte, len(fields))
	for _, f := range fields {
		v, ok := data[f]
		if !ok {
			if !d.Optional && st.out == nil {
				st.out = outcome.Wait(name(kind, obj.GetName()), "%s %s has no key %q; add it.", kind, obj.GetName(), f)
			}
			continue
		}
		content[f] = v
		_, _ = h.Write([]byte(f + "\x00" + strconv.Itoa(len(v)) + "\x00"))
		_, _ = h.Write(v)
	}
	return content
}

func absent(fields []string, kind string, k types.NamespacedName) *outcome.Outcome {
	if k.Namespace == "" {
		return outcome.Wait(name(kind, k.Name), "%s %s does not exist; create it, or name one that exists: kubectl get %s.",
			kind, k.Name, strings.ToLower(kind))
	}
	with := ""
	if len(fields) > 0 {
		with = " with the keys " + strings.Join(fields, ", ")
	}
	return outcome.Wait(name(kind, k.Name), "%s %s does not exist in namespace %s; create it%s.", kind, k.Name,
		k.Namespace, with)
}

// digest of a referenced object that is no Secret or ConfigMap.
func digest[T owner.Object](d *ref.Ref[T], obj client.Object) string {
	if d.Digest != nil {
		return d.Digest(obj)
	}
	g := d.Gate
	if g == nil {
		g = gate.For(obj)
	}
	ready, _ := g(obj)
	return string(obj.GetUID()) + "/" + strconv.FormatInt(obj.GetGeneration(), 10) + "/" + strconv.FormatBool(ready)
}

// missingRef returns what step i waits for among its references.
func (r *run[T]) missingRef(i int) *outcome.Outcome {
	for _, j := range r.reads[i] {
		if out := r.refs[j].out; out != nil {
			return out
		}
	}
	return nil
}

// fingerprint hashes all that a step may look at.
func (r *run[T]) fingerprint(i int) fingerprint {
	h := fingerprintSeed(r.Steps[i].Name)
	h = mix(h, r.used(i))
	for _, j := range r.reads[i] {
		h = mix(h, r.refs[j].digest)
	}
	for _, j := range r.sees[i] {
		for n := range r.results[j].items {
			it := &r.results[j].items[n]
			if rec := r.record(it); rec != nil {
				h = mixString(h, rec.GetResourceVersion())
			}
		}
		// What a step has recorded is an output like the objects of another.
		if c := r.results[j].cell; c != nil {
			h = mixString(h, c.ID)
		}
	}
	return fingerprint(h)
}

// fingerprint of a step's inputs; in status it is 16 hex digits.
type fingerprint uint64

func (f fingerprint) digits() [16]byte {
	var buf [16]byte
	const digits = "0123456789abcdef"
	for k := range buf {
		buf[15-k] = digits[f>>(4*k)&15]
	}
	return buf
}

func (f fingerprint) String() string {
	d := f.digits()
	return string(d[:])
}

// is tells whether f is what status says, without allocating.
func (f fingerprint) is(text string) bool {
	d := f.digits()
	return string(d[:]) == text
}

// used returns the generation of the owner, or a hash of the part of it that the step declares to use.
func (r *run[T]) used(i int) uint64 {
	s, gen := &r.Steps[i], r.o.GetGeneration()
	if s.Uses == nil {
		return uint64(gen)
	}
	if u, ok := r.mem.usedAt(i, gen); ok {
		return u
	}
	raw, err := json.Marshal(s.Uses(r.o))
	if err != nil {
		return uint64(gen) // not encodable: as if it used everything
	}
	u := fingerprintSeed(string(raw))
	r.mem.setUsed(i, gen, u)
	return u
}

// FNV-1a, by hand because hash/fnv allocates and this runs for each step of each run.
func fingerprintSeed(s string) uint64 { return mixString(14695981039346656037, s) }

func mixString(h uint64, s string) uint64 {
	for k := range len(s) {
		h = (h ^ uint64(s[k])) * 1099511628211
	}
	return (h ^ 0xff) * 1099511628211
}

func mix(h, v uint64) uint64 {
	for range 8 {
		h = (h ^ v&0xff) * 1099511628211
		v >>= 8
	}
	return h
}
