package member

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"slices"

	"stackwright.dev/stackwright/internal/agent"
	wire "stackwright.dev/stackwright/internal/agent/member"
)

// unready tells that an order was understood and takes its time.
func unready(err error) (string, bool) {
	r, ok := errors.AsType[*agent.Refusal](err)
	if !ok || r.Code != http.StatusServiceUnavailable {
		return "", false
	}
	return r.Message, true
}

// Shrink takes the last of pods out of the cluster, until only keep are left. It returns what is waited for, empty when
// the others have left.
func (m *Members) Shrink(ctx context.Context, pods []string, keep int) (string, error) {
	w := World{Pods: pods, Reports: m.Observe(ctx, pods)}
	if why, err := m.mend(ctx, w, keep); why != "" || err != nil {
		return why, err
	}
	gone := w.pick(func(s wire.State) bool {
		return (s.Phase == wire.Left || s.Phase == wire.Blank) && slices.Contains(pods[keep:], s.Pod)
	})
	for _, p := range slices.Backward(pods[keep:]) {
		if slices.Contains(gone, p) {
			continue
		}
		if w.Reports[p].Phase == wire.Stopping {
			return p + " is leaving the cluster", nil
		}
		for _, other := range pods[:slices.Index(pods, p)+1] {
			if !slices.Contains(gone, other) && !w.Reports[other].Serves() {
				return fmt.Sprintf("%s has to serve before %s can leave: its %s are moved while all members run",
					other, p, cmp.Or(m.Moves, "duties")), nil
			}
		}
		if why, err := m.evacuate(ctx, pods[0], p); why != "" || err != nil {
			return why, err
		}
		if err := m.Order(ctx, p, "POST /v1/leave", nil); err != nil {
			return "", fmt.Errorf("ordering %s to leave: %w", p, err)
		}
		return p + " is leaving the cluster", nil
	}
	return "", nil
}

// mend looks after members that have lost their volumes, which the cluster counts still: without it those that go would
// take the majority with them. One that is to stay joins anew, others are forgotten. It returns what is waited for.
func (m *Members) mend(ctx context.Context, w World, keep int) (string, error) {
	d := Decision{}
	for _, s := range w.Reports {
		d.Record.Epoch = max(d.Record.Epoch, s.Epoch)
	}
	running := w.running(d.Record.Epoch)
	if len(running) == 0 {
		return "", nil
	}
	stay := World{Pods: w.Pods[:keep], Reports: w.Reports}
	stay.gather(&d, running)
	why := list(slices.Sorted(maps.Keys(d.Orders))) + " joins"
	if len(d.Orders) == 0 {
		d.Forget = slices.DeleteFunc(slices.Clone(w.Pods[keep:]), func(p string) bool {
			counted := func(by string) bool { return slices.Contains(w.Reports[by].Members, p) }
			return w.Reports[p].Phase != wire.Blank || !slices.ContainsFunc(running, counted)
		})
		why = "the others forget " + list(d.Forget) + ", whose volume is lost"
	}
	if len(d.Orders) == 0 && len(d.Forget) == 0 {
		return "", nil
	}
	return why, m.obey(ctx, d)
}

// evacuate moves what depends on a member to another one. It returns what is waited for.
func (m *Members) evacuate(ctx context.Context, by, pod string) (string, error) {
	if m.Moves == "" {
		return "", nil
	}
	err := m.Order(ctx, by, "POST /v1/evacuate", wire.Member{Pod: pod})
	if why, ok := unready(err); ok {
		return why, nil
	}
	if err != nil {
		return "", fmt.Errorf("moving %s off %s: %w", m.Moves, pod, err)
	}
	return "", nil
}
