//go:build e2e

package e2e

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync/atomic"
	"time"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// stuck is how long work may stand still while all that it needs is there.
const stuck = time.Minute

// toil makes and removes everything of work.yaml, again and again, until it is stopped or stuck.
type toil struct {
	fleet
	work []*unstructured.Unstructured
	// whole is when everything was there again that had been killed, in Unix nanoseconds, and 0 while it is not.
	whole  atomic.Int64
	rounds atomic.Int64
	// acknowledged is what OpenStack has made in this round.
	acknowledged acknowledged
	// longest is how long work has waited at most since then, and for what. It is read after the end.
	longest time.Duration
	waited  string

	end  context.CancelFunc
	done chan error
}

// toils begins to work.
func (f fleet) toils() *toil {
	f.Helper()
	t := &toil{fleet: f, work: manifest(f.World, "testdata/work.yaml"), done: make(chan error, 1)}
	t.whole.Store(time.Now().UnixNano())
	ctx, end := context.WithCancel(f.Context())
	t.end = end
	go func() {
		for ctx.Err() == nil {
			if err := t.round(f.Context()); err != nil {
				t.done <- err
				return
			}
			t.rounds.Add(1)
		}
		t.done <- nil
	}()
	return t
}

// stop ends the work after the round that it is in.
func (t *toil) stop() {
	t.Helper()
	t.end()
	if err := <-t.done; err != nil {
		t.Fatal(err)
	}
	t.Logf("work was done %d times; with everything there it waited at most %s until %s", t.rounds.Load(),
		t.longest.Round(100*time.Millisecond), t.waited)
}

// goes waits until a whole round has been worked from now on.
func (t *toil) goes() {
	t.Helper()
	from := t.rounds.Load()
	t.Eventually(5*time.Minute, "work goes on", func(context.Context) error {
		select {
		case err := <-t.done:
			t.Fatal(err)
		default:
		}
		if n := t.rounds.Load() - from; n < 2 { // the one that it was in, and a whole one
			return fmt.Errorf("%d rounds have ended", n)
		}
		return nil
	})
}

// round makes everything, looks that there is one of each, the one that was made first, and removes it without a rest.
func (t *toil) round(ctx context.Context) error {
	t.acknowledged = acknowledged{}
	for _, o := range t.work {
		if err := t.Create(ctx, o.DeepCopy()); err != nil {
			return fmt.Errorf("making %s: %w", o.GetKind(), err)
		}
	}
	if err := t.until(ctx, "everything is made", func() error { return t.made(ctx) }); err != nil {
		return err
	}
	one := func() error {
		if err := t.made(ctx); errors.Is(err, errLost) {
			return err
		}
		return t.count(ctx, 1)
	}
	if err := t.until(ctx, "there is one of each", one); err != nil {
		return err
	}
	for _, o := range t.work {
		if err := t.Delete(ctx, o.DeepCopy()); err != nil {
			return fmt.Errorf("removing %s: %w", o.GetKind(), err)
		}
	}
	if err := t.until(ctx, "everything is removed", func() error { return t.gone(ctx) }); err != nil {
		return err
	}
	return t.until(ctx, "nothing is left", func() error { return t.count(ctx, 0) })
}

// until asks again and again; what is waited for may take as long as something is away, and stuck after that.
func (t *toil) until(ctx context.Context, what string, check func() error) error {
	began := time.Now()
	for {
		err := check()
		whole, waited := t.whole.Load(), time.Since(began)
		if whole != 0 {
			waited = min(waited, time.Since(time.Unix(0, whole)))
		}
		if err == nil {
			if whole != 0 && waited > t.longest {
				t.longest, t.waited = waited, what
			}
			return nil
		}
		if errors.Is(err, errLost) {
			return fmt.Errorf("%s: %w", what, err)
		}
		if whole != 0 && waited > stuck {
			return fmt.Errorf("%s: not within %s of everything being there: %w", what, stuck, err)
		}
		select {
		case <-ctx.Done():
			return fmt.Errorf("%s: %w", what, errors.Join(ctx.Err(), err))
		case <-time.After(200 * time.Millisecond):
		}
	}
}

// made checks that everything is ready, and is still what OpenStack has acknowledged.
func (t *toil) made(ctx context.Context) error {
	errs := []error{}
	for _, o := range t.work {
		now := o.DeepCopy()
		if err := t.Get(ctx, t.Key(o), now); err != nil {
			return err
		}
		errs = append(errs, t.acknowledged.note(now))
		if says := unready(now); says != "" {
			errs = append(errs, fmt.Errorf("%s: %s", o.GetKind(), says))
		}
	}
	return errors.Join(errs...)
}

// acknowledged are ids of what OpenStack said that it has, by the name that its client has for the kind.
type acknowledged map[string]string

// errLost says that OpenStack does not have what it has acknowledged. Objects do not tell: they make it again.
var errLost = errors.New("what OpenStack has acknowledged is lost")

// note keeps what an object stands for. Servers and volumes are kept once they are ready: an order that nobody takes is
// given again, and so is that of a server that never ran (ADR 0053).
func (a acknowledged) note(o *unstructured.Unstructured) error {
	kind := strings.ToLower(o.GetKind())
	id, _, _ := unstructured.NestedString(o.Object, "status", "id")
	switch was := a[kind]; {
	case was != "" && id != "" && id != was:
		return fmt.Errorf("%w: %s %s is %s now", errLost, kind, was, id)
	case was == "" && (kindOf(o).State.Untaken.Path == "" || unready(o) == ""):
		a[kind] = id
	}
	return nil
}

// gone checks that no object is left.
func (t *toil) gone(ctx context.Context) error {
	for _, o := range t.work {
		now := o.DeepCopy()
		if err := t.Get(ctx, t.Key(o), now); client.IgnoreNotFound(err) != nil || err == nil {
			conditions, _, _ := unstructured.NestedSlice(now.Object, "status", "conditions")
			return errors.Join(fmt.Errorf("%s is still there: %v", o.GetKind(), conditions), err)
		}
	}
	return nil
}

// count checks how many there are in OpenStack of what has a name. The only one is the one that was acknowledged.
func (t *toil) count(ctx context.Context, want int) error {
	for _, kind := range []string{"server", "port", "network", "volume"} {
		args := []string{"openstack", kind, "list", "--name", "work", "-f", "value", "-c", "ID"}
		if kind == "server" || kind == "volume" {
			args = append(args, "--all-projects")
		}
		out, err := t.Cluster.Stackwright(ctx, args...)
		if err != nil {
			return err
		}
		ids := strings.Fields(out)
		if len(ids) != want {
			return fmt.Errorf("there are %d of %s, want %d: %v", len(ids), kind, want, ids)
		}
		if want == 1 && ids[0] != t.acknowledged[kind] {
			return fmt.Errorf("%w: %s %s is %s now", errLost, kind, t.acknowledged[kind], ids[0])
		}
	}
	return nil
}
