package kit

import (
	"context"
	"errors"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"sigs.k8s.io/controller-runtime/pkg/source"
)

// seen is the source of owners that have all been seen after some time.
type seen struct {
	source.SyncingSource
	after time.Duration
	err   error
}

func (s seen) WaitForSync(ctx context.Context) error {
	select {
	case <-time.After(s.after):
		return s.err
	case <-ctx.Done():
		return nil // as that of kinds does
	}
}

// wait returns how long the workers of the first controller wait for all, and with which error.
func wait(ctx context.Context, all ...seen) (time.Duration, error) {
	begin, r := time.Now(), newRoll(len(all))
	ctx, cancel := context.WithCancel(ctx)
	defer synctest.Wait()
	defer cancel()
	for _, s := range all[1:] {
		go func() { _ = present{s, r}.WaitForSync(ctx) }()
	}
	err := present{all[0], r}.WaitForSync(ctx)
	return time.Since(begin), err
}

func TestRoll(t *testing.T) {
	for name, c := range map[string]struct {
		all  []seen
		want time.Duration
		says string
	}{
		"alone":                  {all: []seen{{after: time.Second}}, want: time.Second},
		"others are slower":      {all: []seen{{}, {after: time.Second}, {after: 3 * time.Second}}, want: 3 * time.Second},
		"others are quicker":     {all: []seen{{after: 2 * time.Second}, {}}, want: 2 * time.Second},
		"another one never does": {all: []seen{{}, {after: time.Hour}}, want: time.Minute, says: "other controllers"},
		"it fails":               {all: []seen{{err: errors.New("no such kind")}, {}}, says: "no such kind"},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
				defer cancel()
				took, err := wait(ctx, c.all...)
				if took != c.want {
					t.Errorf("it took %s, want %s", took, c.want)
				}
				if (err == nil) != (c.says == "") || err != nil && !strings.Contains(err.Error(), c.says) {
					t.Errorf("the error is %v, want one that says %q", err, c.says)
				}
			})
		})
	}
}
