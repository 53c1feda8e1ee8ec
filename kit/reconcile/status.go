package reconcile

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"k8s.io/apimachinery/pkg/api/equality"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"stackwright.dev/kit/apply"
	"stackwright.dev/kit/condition"
	"stackwright.dev/kit/outcome"
	"stackwright.dev/kit/owner"
)

// eventPause is how long an event of one condition and reason is not repeated.
const eventPause = 5 * time.Minute

// finish writes status if the run found anything different from what is written already.
func (r *run[T]) finish() {
	sig := r.signature()
	if r.mem.trusted && sig == r.mem.signature && !r.touched() {
		return
	}
	before := slices.Clone(r.o.KitStatus().Conditions)
	err := r.writeStatus(func(o T) {
		r.fill(o.KitStatus())
		if r.Report != nil {
			r.Report(r, o)
		}
	})
	if err != nil {
		r.mem.trusted = false
		r.statusFailed(err)
		return
	}
	r.mem.trusted, r.mem.signature = true, sig
	if r.renamed() {
		r.wake(time.Millisecond)
	}
	r.announce(before, r.o.KitStatus().Conditions)
}

// renamed tells whether references name something else since a Report has changed status: no event tells of our own
// writes, and the steps that read them have to run.
func (r *run[T]) renamed() bool {
	for j := range r.Refs {
		if !slices.Equal(r.Refs[j].Keys(r.o), r.refs[j].keys) {
			return true
		}
	}
	return false
}

func (r *run[T]) touched() bool {
	if r.lost || r.news {
		return true
	}
	for i := range r.results {
		if r.results[i].touched {
			return true
		}
	}
	return false
}

func (r *run[T]) statusKey() string { return string(r.o.GetUID()) + "/status" }

func (r *run[T]) statusFailed(err error) {
	out := apply.Classify(err)
	r.wake(r.Backoff.Next(r.statusKey(), out.Class, out.After))
	if out.Class != outcome.Conflict {
		r.log.Error(err, "writing status")
	}
}

// signature hashes everything that status is made of, so that an unchanged run costs no status computation.
func (r *run[T]) signature() uint64 {
	h := mix(fingerprintSeed(r.held), uint64(r.o.GetGeneration()))
	for i := range r.results {
		res := &r.results[i]
		h = mixString(mixString(h, string(res.state)), res.fp)
		if res.out != nil {
			h = mixString(mixString(h, res.out.Message), res.out.On)
		}
		if r.Report == nil {
			continue
		}
		for n := range res.items {
			if rec := r.record(&res.items[n]); rec != nil {
				h = mixString(h, rec.GetResourceVersion())
			}
		}
	}
	for j := range r.refs {
		h = mix(h, r.refs[j].digest)
	}
	if r.stalled() {
		h = mix(h, 1)
	}
	return h
}

// writeStatus applies change to a copy of the owner and writes it if it differs, bound to the version that was read.
func (r *run[T]) writeStatus(change func(T)) error {
	err := r.patchStatus(change)
	r.o = r.latest
	return err
}

// patchStatus is writeStatus while steps run in parallel: they go on with the owner that they have.
func (r *run[T]) patchStatus(change func(T)) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	base := r.latest
	next := base.DeepCopyObject().(T)
	change(next)
	if equality.Semantic.DeepEqual(base, next) {
		return nil
	}
	// The record carries compacted managed fields; neither side may show them to the API server.
	plain := base.DeepCopyObject().(T)
	plain.SetManagedFields(nil)
	next.SetManagedFields(nil)
	r.count.add()
	err := r.Client.Status().Patch(r.ctx, next, client.MergeFromWithOptions(plain, client.MergeFromWithOptimisticLock{}),
		client.FieldOwner(r.Name))
	if err != nil {
		return fmt.Errorf("writing status of %s: %w", r.o.GetName(), err)
	}
	r.Backoff.Reset(r.statusKey())
	r.Store.Wrote(r.Kind.GroupKind(), next, r.Name)
	r.latest = next
	return nil
}

// saveCell writes the record of one step's external resource in the middle of a run: an intent must be on the books
// before its act. The cells of other steps may be changing and stay as they were written last.
func (r *run[T]) saveCell(i int) error {
	cell := *r.results[i].cell
	out := apply.Classify(r.patchStatus(func(o T) {
		st := o.KitStatus()
		if n := slices.IndexFunc(st.Externals, func(e owner.External) bool { return e.Step == cell.Step }); n >= 0 {
			st.Externals[n] = cell
			return
		}
		st.Externals = append(st.Externals, cell)
	}))
	if out == nil {
		return nil
	}
	return &outcome.Error{Class: out.Class, RetryAfter: out.After, Err: out.Err}
}

// fill computes the whole status from the results of the run.
func (r *run[T]) fill(st *owner.Status) {
	old := st.DeepCopy()
	st.ObservedGeneration = r.o.GetGeneration()
	st.Steps, st.Inventory = nil, nil
	for i := range r.results {
		if s := r.stepStatus(i, old.Find(r.Steps[i].Name)); s != nil {
			st.Steps = append(st.Steps, *s)
		}
		st.Inventory = append(st.Inventory, r.inventory(i, old)...)
	}
	st.Inventory = append(st.Inventory, r.orphans...)
	st.Externals = r.externals(old)
	r.stepConditions(st)
	r.aggregate(st)
	meta.RemoveStatusCondition(&st.Conditions, condition.Paused)
}

// stepStatus is the state of step i: of one that another process runs, what that has written, or nil.
func (r *run[T]) stepStatus(i int, old *owner.Step) *owner.Step {
	if !r.runs(&r.Steps[i]) {
		return old
	}
	res := &r.results[i]
	s := &owner.Step{Name: r.Steps[i].Name, State: res.state, Fingerprint: res.fp,
		Since: metav1.NewTime(r.now.Truncate(time.Second))}
	if res.out != nil && !res.out.Ready() {
		s.WaitingFor = res.out.On
	}
	if old != nil && old.State == s.State {
		s.Since = old.Since
	}
	return s
}

// stepConditions sets one condition per distinct name among the steps; of several steps with one name the worst shows.
func (r *run[T]) stepConditions(st *owner.Status) {
	seen := map[string]int{}
	for i := range r.results {
		t := r.Steps[i].Condition
		if t == "" || r.results[i].state == owner.StepOff {
			continue
		}
		if j, ok := seen[t]; !ok || rank(&r.results[i]) > rank(&r.results[j]) {
			seen[t] = i
		}
	}
	for i := range r.Steps {
		t := r.Steps[i].Condition
		if t == "" || !r.runs(&r.Steps[i]) {
			continue
		}
		j, ok := seen[t]
		if !ok {
			meta.RemoveStatusCondition(&st.Conditions, t)
			continue
		}
		s, reason, msg := verdict(&r.results[j])
		condition.Set(&st.Conditions, metav1.Condition{Type: t, Status: s, Reason: reason,
			Message: msg, ObservedGeneration: r.o.GetGeneration()})
	}
}

// rank orders results from good to bad.
func rank(res *result) int {
	switch res.state {
	case owner.StepFailed:
		return 3
	case owner.StepWaiting:
		return 2
	case owner.StepBlocked:
		return 1
	}
	return 0
}

func verdict(res *result) (metav1.ConditionStatus, string, string) {
	out := res.out
	switch {
	case res.state == owner.StepDone || out == nil:
		return condition.True, "Ready", ""
	case res.state == owner.StepBlocked:
		return condition.Unknown, "Blocked", out.Message
	case out.Reason != "":
		return condition.False, out.Reason, out.Message
	case out.State == outcome.StateFailed:
		return condition.False, out.Class.String(), out.Message
	}
	return condition.False, "Waiting", out.Message
}

// worst returns the step that explains best why the owner is not ready: the first failed one, else the first that
// waits. Those that only advise do not count.
func (r *run[T]) worst() int {
	at, bad := -1, 0
	for _, level := range r.levels {
		for _, i := range level {
			if k := rank(&r.results[i]); k > bad && !r.Steps[i].Advises {
				at, bad = i, k
			}
		}
	}
	return at
}

// aggregate sets Ready, Reconciling and Stalled.
func (r *run[T]) aggregate(st *owner.Status) {
	gen := r.o.GetGeneration()
	at := r.worst()
	if r.held != "" {
		condition.Set(&st.Conditions, metav1.Condition{Type: condition.Ready, Status: condition.False, Reason: "DeletionHeld",
			Message: r.held, ObservedGeneration: gen})
		meta.RemoveStatusCondition(&st.Conditions, condition.Reconciling)
		return
	}
	if at < 0 {
		condition.Set(&st.Conditions, metav1.Condition{Type: condition.Ready, Status: condition.True, Reason: "Ready",
			ObservedGeneration: gen})
		meta.RemoveStatusCondition(&st.Conditions, condition.Reconciling)
		meta.RemoveStatusCondition(&st.Conditions, condition.Stalled)
		return
	}
	if r.explained(at, st, "") {
		return
	}
	_, reason, msg := verdict(&r.results[at])
	full := because(r.Steps[at].Name) + msg
	condition.Set(&st.Conditions, metav1.Condition{Type: condition.Ready, Status: condition.False, Reason: reason,
		Message: full, ObservedGeneration: gen})
	is, isNot := condition.Reconciling, condition.Stalled
	if r.stalled() {
		is, isNot = isNot, is
	}
	meta.RemoveStatusCondition(&st.Conditions, isNot)
	condition.Set(&st.Conditions, metav1.Condition{Type: is, Status: condition.True, Reason: reason, Message: full,
		ObservedGeneration: gen})
}

// stalled tells whether the owner needs a person, or has waited for longer than the deadline.
func (r *run[T]) stalled() bool {
	at := r.worst()
	if at < 0 {
		return false
	}
	res := &r.results[at]
	if res.state == owner.StepFailed {
		return res.out != nil && res.out.Class == outcome.Invalid
	}
	prev := r.o.KitStatus().Find(r.Steps[at].Name)
	return prev != nil && prev.State == res.state && r.now.Sub(prev.Since.Time) >= r.Deadline
}

// leaves begins the message of Ready of an owner that is deleted.
const leaves = "The object is being deleted."

// finishRemoval writes how far a deletion has come.
func (r *run[T]) finishRemoval() {
	err := r.writeStatus(func(o T) {
		st := o.KitStatus()
		old := st.DeepCopy()
		st.ObservedGeneration = o.GetGeneration() // a deletion counts as a change
		st.Inventory, st.Externals = slices.Clone(r.orphans), r.externals(old)
		for i := range r.results {
			st.Inventory = append(st.Inventory, r.inventory(i, old)...)
			if s := st.Find(r.Steps[i].Name); s != nil && r.results[i].touched && r.runs(&r.Steps[i]) {
				*s = *r.stepStatus(i, old.Find(s.Name))
			}
		}
		msg := leaves
		switch at := r.worst(); {
		case at >= 0 && r.explained(at, st, leaves+" "):
			return
		case at >= 0 && r.results[at].out != nil:
			msg += " " + because(r.Steps[at].Name) + r.results[at].out.Message
		case r.stuck != nil:
			msg += " " + r.stuck.Message
		}
		condition.Set(&st.Conditions, metav1.Condition{Type: condition.Ready, Status: condition.False, Reason: "Deleting",
			Message: msg, ObservedGeneration: o.GetGeneration()})
	})
	if err != nil {
		r.statusFailed(err)
	}
}

// announce sends an event for each condition whose status changed, and for one that has become false for another reason
// of which there is more to tell than the condition has: who waited first and was refused then. That of an only step
// says what Ready says.
func (r *run[T]) announce(before, after []metav1.Condition) {
	for _, c := range after {
		if len(r.Steps) == 1 && c.Type == r.Steps[0].Condition {
			continue
		}
		old := meta.FindStatusCondition(before, c.Type)
		if old != nil && old.Status == c.Status && (old.Reason == c.Reason || r.detail(c.Message) == "") {
			continue
		}
		if c.Status == condition.Unknown || c.Type == condition.Reconciling {
			continue
		}
		if old == nil && c.Status == condition.False && c.Reason == "Waiting" {
			continue
		}
		kind := "Normal"
		if (c.Status == condition.False && c.Reason != "Waiting") || c.Type == condition.Stalled {
			kind = "Warning"
		}
		r.event(kind, c.Type, c.Reason, c.Message+r.detail(c.Message))
	}
}

// detail is what the step says besides whose message a condition has.
func (r *run[T]) detail(message string) string {
	for i := range r.results {
		if out := r.results[i].out; out != nil && out.Detail != "" && strings.HasSuffix(message, out.Message) {
			return " (" + out.Detail + ")"
		}
	}
	return ""
}

// tell sends an event for each note of a step.
func (r *run[T]) tell(i int) {
	for _, n := range r.results[i].notes {
		kind := "Normal"
		if n.Warning {
			kind = "Warning"
		}
		r.event(kind, r.Steps[i].Name, n.Reason, n.Message)
	}
}

func (r *run[T]) event(kind, action, reason, message string) {
	if r.Recorder == nil {
		return
	}
	k := action + "/" + reason
	if t, ok := r.mem.events[k]; ok && r.now.Sub(t) < eventPause {
		return
	}
	if r.mem.events == nil {
		r.mem.events = map[string]time.Time{}
	}
	r.mem.events[k] = r.now
	if message == "" {
		message = action + " is true."
	}
	r.count.add()
	r.Recorder.Eventf(r.o, nil, kind, reason, action, "%s", message)
}
