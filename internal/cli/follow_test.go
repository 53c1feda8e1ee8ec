package cli

import (
	"context"
	"errors"
	"io"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"stackwright.dev/stackwright/internal/cli/progress"
)

// Who does not answer for a while is asked again. What stays wrong, or cannot become right, is told.
func TestFollowBearsWithSilence(t *testing.T) {
	silence := errors.New("connection refused")
	for name, c := range map[string]struct {
		err   error
		lasts time.Duration
		took  time.Duration
	}{
		"at once":   {nil, 0, 0},
		"a moment":  {silence, 20 * time.Second, 20 * time.Second},
		"for ever":  {silence, time.Hour, stubborn},
		"no right":  {apierrors.NewForbidden(schema.GroupResource{}, "x", nil), time.Hour, 0},
		"not there": {apierrors.NewNotFound(schema.GroupResource{}, "x"), time.Hour, 0},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				began := time.Now()
				p := progress.New(io.Discard, false, 80).Start("proof")
				err := (&ascent{}).follow(t.Context(), p, func(context.Context) (lack, error) {
					if time.Since(began) < c.lasts {
						return lack{}, c.err
					}
					return lack{}, nil
				})
				if took := time.Since(began).Truncate(time.Second); took != c.took {
					t.Errorf("it took %s, want %s", took, c.took)
				}
				if given := c.lasts == time.Hour; given != (err != nil) || given && !strings.Contains(err.Error(), c.err.Error()) {
					t.Errorf("error is %v", err)
				}
			})
		})
	}
}
