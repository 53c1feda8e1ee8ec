package kit

import (
	"context"
	"errors"
	"fmt"
	"sync/atomic"

	"sigs.k8s.io/controller-runtime/pkg/source"
)

// roll is called when a manager starts: no controller runs an owner before all have seen theirs, since what may be
// deleted can depend on owners of any of them.
type roll struct {
	missing atomic.Int64
	full    chan struct{}
}

func newRoll(controllers int) *roll {
	r := &roll{full: make(chan struct{})}
	r.missing.Store(int64(controllers))
	return r
}

// call says that one more controller has seen its owners.
func (r *roll) call() {
	if r.missing.Add(-1) == 0 {
		close(r.full)
	}
}

// present is the source of a controller's owners. Workers wait for it.
type present struct {
	source.SyncingSource
	roll *roll
}

// WaitForSync returns when the owners of all controllers that were there have gone through their handlers.
func (p present) WaitForSync(ctx context.Context) error {
	if err := p.SyncingSource.WaitForSync(ctx); err != nil {
		return fmt.Errorf("seeing all owners: %w", err)
	}
	if ctx.Err() == nil {
		p.roll.call()
	}
	select {
	case <-p.roll.full:
	case <-ctx.Done():
		if errors.Is(ctx.Err(), context.DeadlineExceeded) {
			return fmt.Errorf("waiting for other controllers to see their owners: %w", ctx.Err())
		}
	}
	return nil
}
