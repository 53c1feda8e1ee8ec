package reconcile_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/types"

	"stackwright.dev/kit"
	"stackwright.dev/kit/outcome"
	"stackwright.dev/kit/step"
)

// door is what owners share: it lets some of them in at a time, and those that it turns away later, in the order in
// which they came.
type door struct {
	mu     sync.Mutex
	places int
	inside []string
	queue  []types.NamespacedName
	// called are those whose turn it is; nobody takes their place before they come.
	called []types.NamespacedName
	// wake is there once the controller listens, early are those whose turn it was before.
	wake  func(types.NamespacedName)
	early []types.NamespacedName
	// asked are the owners whose turn it was asked for, entered those that ran, each time.
	asked, entered []string
	// work is what a run does.
	work func(ctx context.Context, a *app) error
}

// behind is a controller whose owners share a door.
func behind(d *door) kit.Definition[*app] {
	def := define(step.Check("work", func(ctx context.Context, s *scope) *outcome.Outcome {
		return outcome.FromError(d.work(ctx, s.Owner()))
	}))
	def.Turn, def.Notice, def.Options.Workers = d.turn, d.notice, 8
	def.Wake = func(ctx context.Context, wake func(types.NamespacedName)) {
		d.mu.Lock()
		d.wake = wake
		for _, key := range d.early {
			wake(key)
		}
		d.early = nil
		d.mu.Unlock()
		<-ctx.Done()
	}
	return def
}

func (d *door) turn(a *app) func() {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.asked = append(d.asked, a.Name)
	key := keyOf(a)
	i := slices.Index(d.called, key)
	if i >= 0 {
		d.called = slices.Delete(d.called, i, i+1)
	}
	if i < 0 && len(d.inside)+len(d.called) >= d.places && a.Name != "free" {
		if !slices.Contains(d.queue, key) {
			d.queue = append(d.queue, key)
		}
		return nil
	}
	d.entered = append(d.entered, a.Name)
	if a.Name == "free" {
		return func() {}
	}
	d.inside = append(d.inside, a.Name)
	return func() { d.leave(a.Name) }
}

func keyOf(a *app) types.NamespacedName {
	return types.NamespacedName{Namespace: a.Namespace, Name: a.Name}
}

// leave ends a run, and it is the turn of the next one.
func (d *door) leave(name string) {
	d.mu.Lock()
	defer d.mu.Unlock()
	i := slices.Index(d.inside, name)
	d.inside = slices.Delete(d.inside, i, i+1)
	if len(d.queue) == 0 {
		return
	}
	d.called = append(d.called, d.queue[0])
	switch {
	case d.wake == nil:
		d.early = append(d.early, d.queue[0])
	default:
		d.wake(d.queue[0])
	}
	d.queue = d.queue[1:]
}

// seen is what has happened so far: who is inside, who was asked for, and who ran.
func (d *door) seen() (inside, asked, entered []string) {
	synctest.Wait()
	d.mu.Lock()
	defer d.mu.Unlock()
	return slices.Clone(d.inside), slices.Clone(d.asked), slices.Clone(d.entered)
}

// notice forgets those that are gone.
func (d *door) notice(a *app, gone bool) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if gone {
		same := func(key types.NamespacedName) bool { return key == keyOf(a) }
		d.queue, d.called = slices.DeleteFunc(d.queue, same), slices.DeleteFunc(d.called, same)
	}
}

// firsts are names in the order in which they are there first. An owner may run once more when the echo of its first
// write overtakes the answer.
func firsts(names []string) (out []string) {
	for _, n := range names {
		if !slices.Contains(out, n) {
			out = append(out, n)
		}
	}
	return out
}

// minute is work that takes a minute.
func minute(ctx context.Context, _ *app) error {
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-time.After(time.Minute):
		return nil
	}
}

// firstMinute is work that takes a minute the first time.
func firstMinute() func(context.Context, *app) error {
	var done sync.Map
	return func(ctx context.Context, a *app) error {
		if _, again := done.LoadOrStore(a.Name, true); again {
			return nil
		}
		return minute(ctx, a)
	}
}

// Owners that share something slow get their turn in the order in which they came, and no worker waits with them:
// others are not late.
func TestTurnsAreFair(t *testing.T) {
	const owners = 20
	slow := firstMinute()
	d := &door{places: 2, work: func(ctx context.Context, a *app) error {
		if a.Name == "free" {
			return nil
		}
		return slow(ctx, a)
	}}
	inWorld(t, behind(d), func(w *world) {
		for i := range owners {
			w.do(w.c.Create(t.Context(), newApp(fmt.Sprintf("app-%02d", i))))
		}
		w.create(newApp("free"))
		w.wantReady("free")
		w.pass(owners / 2 * time.Minute)
		for i := range owners {
			w.wantReady(fmt.Sprintf("app-%02d", i))
		}
		isFree := func(name string) bool { return name == "free" }
		_, asked, entered := d.seen()
		asked, entered = slices.DeleteFunc(asked, isFree), slices.DeleteFunc(entered, isFree)
		for i, name := range firsts(entered) {
			if came := slices.Index(firsts(asked), name); came < i-d.places || came > i+d.places {
				t.Errorf("%s came as number %d and ran as number %d", name, came, i)
			}
		}
		if n := len(asked); n > 4*owners {
			t.Errorf("it was asked %d times for the turns of %d owners", n, owners)
		}
	})
}

// What changes while an owner waits, while it runs, and while it is woken, is seen.
func TestTurnsLoseNoNews(t *testing.T) {
	seen := map[string]string{}
	var mu sync.Mutex
	d := &door{places: 1}
	d.work = func(ctx context.Context, a *app) error {
		mu.Lock()
		seen[a.Name] = a.Spec.Image
		mu.Unlock()
		return minute(ctx, a)
	}
	inWorld(t, behind(d), func(w *world) {
		w.create(newApp("one"))
		w.create(newApp("two"))
		want := func(when, one, two string) {
			t.Helper()
			mu.Lock()
			defer mu.Unlock()
			if seen["one"] != one || seen["two"] != two {
				t.Errorf("%s the images %q and %q were seen, want %q and %q", when, seen["one"], seen["two"], one, two)
			}
		}
		want("at first", "app:1", "")
		for _, image := range []string{"app:2", "app:3"} {
			for _, name := range []string{"one", "two"} {
				change(w, &app{}, name, func(a *app) { a.Spec.Image = image })
			}
		}
		want("while one runs", "app:1", "")
		w.pass(3 * time.Minute)
		want("in the end", "app:3", "app:3")
		d.wake(keyOf(newApp("two")))
		w.pass(time.Second)
		change(w, &app{}, "two", func(a *app) { a.Spec.Image = "app:4" }) // during the run that it was woken for
		w.pass(3 * time.Minute)
		want("after a change of who was woken", "app:3", "app:4")
		w.wantReady("one")
		w.wantReady("two")
	})
}

// Those that are deleted while they wait are asked for no more, and nobody waits for them.
func TestTurnsOfThoseWhoAreGone(t *testing.T) {
	d := &door{places: 1, work: firstMinute()}
	inWorld(t, behind(d), func(w *world) {
		const owners = 10
		for i := range owners {
			w.create(newApp(fmt.Sprint("app-", i)))
		}
		_, before, _ := d.seen()
		for i := 1; i < owners-1; i++ {
			w.do(w.c.Delete(t.Context(), w.app(fmt.Sprint("app-", i))))
		}
		w.pass(2 * time.Minute)
		w.wantReady(fmt.Sprint("app-", owners-1))
		_, asked, entered := d.seen()
		if diff := cmp.Diff([]string{"app-0", "app-9"}, firsts(entered)); diff != "" {
			t.Errorf("others ran (-want +got):\n%s", diff)
		}
		for _, name := range asked[len(before):] {
			if name != "app-0" && name != "app-9" {
				t.Errorf("after the deletion it was asked for the turn of %s", name)
			}
		}
	})
}

// A deletion has its turn like any other run: an owner that waits keeps its finalizer.
func TestTurnsOfDeletions(t *testing.T) {
	released := 0
	d := &door{places: 1, work: minute}
	def := behind(d)
	def.Steps = append(def.Steps, step.Step[*app]{Name: "thing", Kind: step.KindExternal,
		Act: func(_ context.Context, s *scope) *outcome.Outcome {
			s.Cell().ID = "thing"
			return nil
		},
		Release: func(context.Context, *scope) *outcome.Outcome {
			released++
			return nil
		}})
	inWorld(t, def, func(w *world) {
		w.create(newApp("one"))
		w.pass(time.Minute)
		w.create(newApp("two"))
		w.do(w.c.Delete(t.Context(), w.app("one")))
		w.pass(settle)
		if released != 0 || w.app("one").DeletionTimestamp == nil {
			t.Errorf("%d things were released while it was another's turn", released)
		}
		w.pass(2 * time.Minute)
		if released != 1 {
			t.Errorf("%d things were released, want 1", released)
		}
	})
}

// A run that fails or panics ends its turn.
func TestTurnsEndWithFailures(t *testing.T) {
	d := &door{places: 1, work: func(_ context.Context, a *app) error {
		switch a.Name {
		case "fails":
			return errors.New("out of order")
		case "panics":
			panic("out of order")
		}
		return nil
	}}
	inWorld(t, behind(d), func(w *world) {
		w.create(newApp("fails"), newApp("panics"), newApp("one"))
		w.pass(time.Minute)
		w.wantReady("one")
		if inside, _, _ := d.seen(); len(inside) != 0 {
			t.Errorf("the turns of %v have no end", inside)
		}
	})
}

// A process that is stopped ends the runs under way and asks for no more; the next process runs those that waited.
func TestTurnsEndWithTheProcess(t *testing.T) {
	hangs := true
	d := &door{places: 1}
	d.work = func(ctx context.Context, a *app) error {
		if !hangs {
			return nil
		}
		<-ctx.Done()
		return ctx.Err()
	}
	inWorld(t, behind(d), func(w *world) {
		for i := range 5 {
			w.create(newApp(fmt.Sprint("app-", i)))
		}
		w.stop()
		if inside, _, _ := d.seen(); len(inside) != 0 {
			t.Errorf("the turns of %v have no end", inside)
		}
		_, before, _ := d.seen()
		w.pass(time.Hour)
		if _, asked, _ := d.seen(); len(asked) != len(before) {
			t.Errorf("a process that is stopped asked for %d turns", len(asked)-len(before))
		}
		hangs, d.queue, d.wake = false, nil, nil
		w.start()
		w.pass(settle)
		for i := range 5 {
			w.wantReady(fmt.Sprint("app-", i))
		}
	})
}
