package galera

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"time"

	"sigs.k8s.io/controller-runtime/pkg/log"

	"stackwright.dev/stackwright/internal/agent/mariadb"
)

// Agents is how members are asked and ordered.
type Agents interface {
	State(ctx context.Context, pod string) (mariadb.State, error)
	Bootstrap(ctx context.Context, pod string, o mariadb.Bootstrap) error
	Halt(ctx context.Context, pod string) error
	Assign(ctx context.Context, pod string, r mariadb.Role) (mariadb.State, error)
}

// askWithin is how long a member may take to tell its state.
const askWithin = time.Second

// Observe asks all members at once. Those that do not answer are missing in the result.
func Observe(ctx context.Context, a Agents, pods []string) map[string]mariadb.State {
	ctx, cancel := context.WithTimeout(ctx, askWithin)
	defer cancel()
	var mu sync.Mutex
	out := map[string]mariadb.State{}
	var wg sync.WaitGroup
	for _, p := range pods {
		wg.Go(func() {
			s, err := a.State(ctx, p)
			if err != nil || s.Pod != p {
				return
			}
			mu.Lock()
			defer mu.Unlock()
			out[p] = s
		})
	}
	wg.Wait()
	return out
}

// Drive decides on a world and gives the orders that follow. Whatever has to be remembered is saved before its order is
// given. It returns the decision, and an error when an order failed; both are safe to come back to.
func Drive(ctx context.Context, a Agents, w World, save func(Record) error) (Decision, error) {
	if w.absorb() {
		if err := save(w.Record); err != nil {
			return Decision{}, fmt.Errorf("recording that the cluster has begun: %w", err)
		}
	}
	d := decide(w)
	switch d.Action {
	case Begin:
		return d, w.start(ctx, a, d, save)
	case Halt:
		var errs []error
		for _, p := range d.Halt {
			errs = append(errs, a.Halt(ctx, p))
		}
		return d, errors.Join(errs...)
	case Serve:
		return w.serve(ctx, a, save)
	}
	return d, nil
}

// absorb takes into the record what the members show has happened, and tells whether that changed it.
func (w *World) absorb() bool {
	before := w.Record.String()
	for _, s := range w.where(func(s mariadb.State) bool { return s.Phase == mariadb.Running && s.Wsrep.Primary }) {
		if w.Record.Cluster == "" || w.Record.Seed != "" {
			w.Record.began(s.Wsrep.UUID)
		}
		w.Record.Epoch = max(w.Record.Epoch, s.Epoch, 1)
		if s.Writable && s.Role.Term == w.Record.Term() {
			w.Record.settle(s.Role.Term)
		}
	}
	// The seed has begun and is down again: from here on it is a member like the others.
	if s, ok := w.Reports[w.Record.Seed]; ok && s.Volume == w.Record.Volume && s.Epoch == w.Record.Epoch &&
		s.Position.Known() && s.Position != w.Record.Position {
		w.Record.began(s.Position.UUID)
	}
	return w.Record.String() != before
}

// start records the intent and then orders the seed to begin.
func (w *World) start(ctx context.Context, a Agents, d Decision, save func(Record) error) error {
	if w.Record.Seed != d.Seed.Pod || w.Record.Epoch != d.Epoch {
		if r := w.newestRole(); w.Record.Epoch == 0 && r.Writer != "" {
			w.Record.Roles = []mariadb.Role{r}
		}
		// A member that was ordered by an operator of an earlier object has seen higher epochs than this record.
		for _, s := range w.Reports {
			d.Epoch = max(d.Epoch, s.Epoch+1)
		}
		w.Record.begin(d.Epoch, d.Seed)
		if err := save(w.Record); err != nil {
			return fmt.Errorf("recording the intent to start from %s: %w", d.Seed.Pod, err)
		}
		log.FromContext(ctx).Info("a member is to start the cluster", "member", d.Seed.Pod, "position", d.Seed.Position,
			"epoch", d.Epoch)
	}
	err := a.Bootstrap(ctx, d.Seed.Pod,
		mariadb.Bootstrap{Epoch: d.Epoch, Volume: d.Seed.Volume, Position: d.Seed.Position})
	if err != nil {
		return fmt.Errorf("ordering %s to start the cluster: %w", d.Seed.Pod, err)
	}
	return nil
}

// newestRole is the newest writer order that a member knows.
func (w *World) newestRole() mariadb.Role {
	var newest mariadb.Role
	for _, s := range w.where(func(mariadb.State) bool { return true }) {
		if s.Role.Term > newest.Term {
			newest = s.Role
		}
	}
	return newest
}

// serve looks after the writer of a running cluster.
func (w *World) serve(ctx context.Context, a Agents, save func(Record) error) (Decision, error) {
	serving := w.where(mariadb.State.Serves)
	if len(serving) == 0 {
		return Decision{Reason: "NotSynced", Text: "A member runs and is not synced yet; it serves when it is."}, nil
	}
	current := w.Record.Writer()
	roomy := slices.DeleteFunc(slices.Clone(serving), func(s mariadb.State) bool { return s.Full })
	if len(roomy) == 0 {
		return allFull(serving), nil
	}
	if s, ok := w.Reports[current]; ok && s.Serves() && !s.Full && w.Record.Term() >= w.newestRole().Term {
		if s.Writable {
			return Decision{Action: Serve}, w.tell(ctx, a)
		}
		return Decision{Action: Serve}, w.promote(ctx, a)
	}
	next := slices.MinFunc(roomy, func(x, y mariadb.State) int {
		return cmp.Or(cmp.Compare(notSynced(x), notSynced(y)), cmp.Compare(x.Pod, y.Pod))
	})
	w.Record.order(mariadb.Role{Term: max(w.Record.Term(), w.newestRole().Term) + 1, Writer: next.Pod})
	if err := save(w.Record); err != nil {
		return Decision{}, fmt.Errorf("recording the new writer: %w", err)
	}
	log.FromContext(ctx).Info("the writer changes", "from", current, "to", next.Pod, "term", w.Record.Term())
	return Decision{Action: Serve}, w.promote(ctx, a)
}

// allFull is about a cluster that runs and refuses writes.
func allFull(serving []mariadb.State) Decision {
	return Decision{Reason: "VolumeFull", Person: true, On: "PersistentVolumeClaim data-" + serving[0].Pod,
		Text: fmt.Sprintf("Writes are refused, because the volume of %s has almost no room left; raise spec.storage.size, "+
			"for which the storage class has to allow expansion. Reading goes on, and nothing is lost.", serving[0].Pod)}
}

func notSynced(s mariadb.State) int {
	if s.Wsrep.Local == mariadb.Synced {
		return 0
	}
	return 1
}

// promote makes all members know the newest role, the one that it names last. A former writer that still belongs to the
// cluster and has not confirmed that it takes no writes stops the change.
func (w *World) promote(ctx context.Context, a Agents) error {
	role := w.Record.Roles[len(w.Record.Roles)-1]
	target, ok := w.Reports[role.Writer]
	if !ok {
		return fmt.Errorf("member %s, which is to take writes, does not answer", role.Writer)
	}
	if err := w.tell(ctx, a); err != nil {
		return err
	}
	for _, r := range w.Record.Roles {
		_, told := w.Reports[r.Writer]
		if r.Writer != role.Writer && !told && slices.Contains(target.Wsrep.Members, r.Writer) {
			return fmt.Errorf("member %s may take writes and its agent does not answer", r.Writer)
		}
	}
	s, err := a.Assign(ctx, role.Writer, role)
	if err != nil {
		return fmt.Errorf("making %s the writer: %w", role.Writer, err)
	}
	w.Reports[role.Writer] = s
	return nil
}

// tell lets all other members that answer know the newest role.
func (w *World) tell(ctx context.Context, a Agents) error {
	role := w.Record.Roles[len(w.Record.Roles)-1]
	for _, p := range w.Pods {
		s, ok := w.Reports[p]
		if !ok || p == role.Writer || s.Role == role {
			continue
		}
		next, err := a.Assign(ctx, p, role)
		if err != nil {
			return fmt.Errorf("telling %s that %s takes the writes: %w", p, role.Writer, err)
		}
		w.Reports[p] = next
	}
	return nil
}
