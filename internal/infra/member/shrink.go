package member

import (
	"cmp"
	"context"
	"errors"
	"fmt"
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
	reports := m.Observe(ctx, pods)
	for _, p := range slices.Backward(pods[keep:]) {
		s, ok := reports[p]
		if ok && (s.Phase == wire.Left || s.Phase == wire.Blank) {
			continue
		}
		if ok && s.Phase == wire.Stopping {
			return p + " is leaving the cluster", nil
		}
		for _, other := range pods[:slices.Index(pods, p)+1] {
			if o, ok := reports[other]; !ok || !o.Serves() {
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
