package reconcile

import (
	"fmt"
	"runtime/debug"
	"sync"
	"time"

	"stackwright.dev/kit/apply"
	"stackwright.dev/kit/obs"
	"stackwright.dev/kit/outcome"
	"stackwright.dev/kit/owner"
	"stackwright.dev/kit/step"
)

// advance brings the owner's graph as far as it goes: level by level, the steps of a level in parallel.
func (r *run[T]) advance() {
	if !r.mem.trusted {
		r.repair()
	}
	r.linkRefs()
	for n, level := range r.levels {
		r.order = n
		r.evalRefs(level)
		for _, i := range level {
			r.evaluate(i)
		}
		if !r.work(level) {
			if !r.edited {
				r.unpruned()
				r.finish()
			}
			return
		}
	}
	r.prune()
	r.finish()
}

// work runs the steps of a level that need it. It returns false when the owner cannot be made ours first, or asks for
// something else by then: what the run knows so far is of what it asked for before.
func (r *run[T]) work(level []int) bool {
	var todo []int
	for _, i := range level {
		if r.results[i].work {
			todo = append(todo, i)
		}
	}
	if len(todo) == 0 {
		return true
	}
	read := r.o
	err := r.claim()
	if r.edited = asksElse(read, r.o); r.edited {
		r.mem.trusted = false // nothing is written of this run
		r.wake(time.Millisecond)
		return false
	}
	if err == nil {
		err = r.hold(false)
	}
	if err != nil {
		for _, i := range todo {
			r.settle(i, apply.Classify(fmt.Errorf("claiming the object: %w", err)))
		}
		return false
	}
	limit := make(chan struct{}, max(r.Parallel, 1))
	var wg sync.WaitGroup
	for _, i := range todo {
		limit <- struct{}{}
		wg.Go(func() {
			defer func() { <-limit }()
			r.settle(i, r.timed(i))
		})
	}
	wg.Wait()
	for _, i := range todo {
		r.tell(i)
	}
	r.o = r.latest // later levels see what these steps have put on the books
	return true
}

// timed runs a step and tells how long it took.
func (r *run[T]) timed(i int) *outcome.Outcome {
	defer obs.StepSpan(r.ctx, r.Steps[i].Name)()
	begin := r.Now()
	out := r.safely(i)
	if r.Observe != nil {
		r.Observe.Worked(r.Name, r.Steps[i].Name, r.Now().Sub(begin))
	}
	return out
}

// safely runs a step and turns a panic into an outcome of that step alone.
func (r *run[T]) safely(i int) (out *outcome.Outcome) {
	defer func() {
		if p := recover(); p != nil {
			out = r.panicked(i, "the code of step", p)
		}
	}()
	switch r.Steps[i].Kind {
	case step.KindJob:
		return r.runJob(i)
	case step.KindSecret:
		return r.runSecret(i)
	case step.KindCheck, step.KindExternal:
		return r.runAct(i)
	default:
		return r.runObjects(i)
	}
}

// panicked logs and counts a panic that a step ended in, and is the outcome of that.
func (r *run[T]) panicked(i int, what string, p any) *outcome.Outcome {
	s := &r.Steps[i]
	r.log.Error(fmt.Errorf("panic: %v", p), "running a step", "step", s.Name, "stack", string(debug.Stack()))
	if r.Observe != nil {
		r.Observe.Panicked(r.Name, s.Name)
	}
	return outcome.Fail(outcome.Panicked, fmt.Errorf(
		"%s %s panicked: %v; this is a bug of controller %s, please report it", what, s.Name, p, r.Name))
}

// evaluate decides whether a step is off, blocked, waiting for a reference, unchanged, or has work to do.
func (r *run[T]) evaluate(i int) {
	s, res := &r.Steps[i], &r.results[i]
	prev := r.o.KitStatus().Find(s.Name)
	switch {
	case !r.runs(s):
		r.adopt(i, prev)
		return
	case s.When != nil && !s.When(r.o):
		res.state = owner.StepOff
		return
	}
	if prev != nil {
		res.fp = prev.Fingerprint
	}
	if by := r.blocker(i); by != "" {
		res.state, res.out = owner.StepBlocked, outcome.Wait("step "+by, "Waits for step %s.", by)
		return
	}
	if out := r.missingRef(i); out != nil {
		res.state, res.out = owner.StepWaiting, out
		return
	}
	fp := r.fingerprint(i)
	mem := r.mem.peek(i)
	if mem != nil && mem.out != nil && mem.out.State == outcome.StateFailed && mem.fp == fp &&
		r.now.Before(mem.notBefore) && r.retryToken(s.Name) == "" && !r.roomMade(i, mem) {
		res.state, res.out = owner.StepFailed, mem.out
		r.wake(mem.notBefore.Sub(r.now))
		return
	}
	if r.unchanged(i, prev, fp, mem) {
		if s.Kind == step.KindJob {
			res.state = owner.StepDone // also when somebody tidied the Job away: once is once
			return
		}
		r.conclude(i, r.gates(i))
		return
	}
	// Taken before the step looks at them: what changes while it runs is news when it has failed.
	res.work, res.outputs = true, r.outputs(i)
}

// roomMade tells whether somebody has changed or deleted an object that the API server refused to change, which nobody
// would look at again before an hour has passed.
func (r *run[T]) roomMade(i int, mem *stepMemory) bool {
	return mem.out.Class == outcome.Invalid && mem.outputs != r.outputs(i)
}

// outputs hashes which objects of a step are there, and what of them is ours.
func (r *run[T]) outputs(i int) uint64 {
	h := fingerprintSeed("")
	for n := range r.results[i].items {
		if rec := r.record(&r.results[i].items[n]); rec != nil {
			h = mixString(mixString(h, string(rec.GetUID())), apply.Owned(rec, r.Name))
		}
	}
	return h
}

// unchanged tells whether a step's inputs and outputs are as the last run left them.
func (r *run[T]) unchanged(i int, prev *owner.Step, fp fingerprint, mem *stepMemory) bool {
	s := &r.Steps[i]
	if prev == nil || !fp.is(prev.Fingerprint) || (s.Kind != step.KindExternal && !r.mem.ran(i)) {
		return false
	}
	if mem != nil && !mem.due.IsZero() {
		if !r.now.Before(mem.due) {
			return false
		}
		r.wake(mem.due.Sub(r.now))
	}
	switch s.Kind {
	case step.KindCheck:
		return s.Every > 0 && prev.State == owner.StepDone && mem != nil
	case step.KindExternal:
		return prev.State == owner.StepDone && !s.EachRun && (s.Every == 0 || mem != nil)
	case step.KindJob:
		return prev.State == owner.StepDone && r.retryToken(s.Name) == ""
	case step.KindSecret:
		return r.intact(i) && r.secretRests(i) && !s.EachRun
	}
	return r.intact(i) && (s.Every == 0 || mem != nil)
}

// settle records the outcome of a step that ran.
func (r *run[T]) settle(i int, out *outcome.Outcome) {
	s := &r.Steps[i]
	res := &r.results[i]
	fp := r.fingerprint(i)
	res.touched = true
	partly := out != nil && (s.Kind == step.KindObjects || s.Kind == step.KindSecret)
	if partly {
		res.fp = "" // not all is applied, or known: what is there belongs to no inputs, these or others
	}
	if out != nil && out.State == outcome.StateFailed {
		r.fail(i, fp, out)
		return
	}
	if !partly {
		res.fp = fp.String()
	}
	r.mem.setRan(i)
	mem := r.mem.peek(i)
	if every := s.Every; every > 0 || out.Delay() > 0 || mem != nil {
		m := stepMemory{fp: fp}
		if out != nil {
			m.ends = out.Ends
		}
		if d := out.Delay(); d > 0 {
			every = d
		}
		if every > 0 {
			m.due = r.now.Add(every)
			r.wake(every)
		}
		r.mem.put(i, m)
	}
	r.Backoff.Reset(r.backoffKey(i))
	if out.Ready() && (s.Kind == step.KindObjects || s.Kind == step.KindSecret) {
		out = r.gates(i)
	}
	r.conclude(i, out)
}

func (r *run[T]) fail(i int, fp fingerprint, out *outcome.Outcome) {
	res := &r.results[i]
	res.state, res.out = owner.StepFailed, out
	if m := r.mem.peek(i); m != nil && m.out != nil && m.fp != fp {
		r.Backoff.Reset(r.backoffKey(i)) // other inputs fail in their own right
	}
	wait := r.Backoff.Next(r.backoffKey(i), out.Class, out.After)
	if r.Steps[i].Kind == step.KindJob && out.After > 0 {
		wait = out.After
	}
	r.mem.put(i, stepMemory{fp: fp, out: out, notBefore: r.now.Add(wait), outputs: res.outputs, ends: out.Ends})
	r.wake(wait)
	if out.Err != nil && out.Class != outcome.Invalid {
		r.log.Info("step failed", "step", r.Steps[i].Name, "class", out.Class.String(), "error", out.Message,
			"detail", out.Detail, "retry", wait.String())
	}
}

func (r *run[T]) conclude(i int, out *outcome.Outcome) {
	res := &r.results[i]
	res.out = out
	switch {
	case out.Ready():
		res.state = owner.StepDone
	case out.State == outcome.StateWaiting:
		res.state = owner.StepWaiting
		r.wake(out.After)
		r.wakeAtDeadline(i)
	default:
		res.state = owner.StepFailed
	}
}

// wakeAtDeadline makes sure that a wait which goes on too long is said to have stalled. It comes a second late:
// a run at the very deadline that found it not yet passed would be the last one.
func (r *run[T]) wakeAtDeadline(i int) {
	prev := r.o.KitStatus().Find(r.Steps[i].Name)
	if prev == nil || prev.State != owner.StepWaiting {
		r.wake(r.Deadline + time.Second)
		return
	}
	if left := prev.Since.Add(r.Deadline).Sub(r.now); left > 0 {
		r.wake(left + time.Second)
	}
}

// blocker returns the first predecessor that is neither done nor off.
func (r *run[T]) blocker(i int) string {
	for _, j := range r.Graph.Before(i) {
		if s := r.results[j].state; s != owner.StepDone && s != owner.StepOff {
			return r.Steps[j].Name
		}
	}
	return ""
}

func (r *run[T]) backoffKey(i int) string {
	return string(r.o.GetUID()) + "/" + r.Steps[i].Name
}

func (r *run[T]) scope(i int) *step.Scope[T] {
	s := &r.Steps[i]
	return step.NewScope(r.o, s, r, r.log.WithValues("step", s.Name), r.now)
}

// runAct runs a Check or External step.
func (r *run[T]) runAct(i int) *outcome.Outcome {
	res := &r.results[i]
	if res.cell == nil {
		res.cell = &owner.External{Step: r.Steps[i].Name}
	}
	sc := r.scope(i).WithExternal(res.cell, func() error { return r.saveCell(i) })
	out := r.Steps[i].Act(r.ctx, sc)
	res.notes = sc.Notes()
	if err := sc.Err(); err != nil && out.Ready() {
		return outcome.FromError(err)
	}
	return out
}
