//go:build e2e

package mariadb_test

import (
	"context"
	"database/sql"
	"testing"
	"time"

	"stackwright.dev/stackwright/test/e2e/story"
)

// A pool that has come to a member which does not take writes is sent away, so that it asks again where the writer is;
// at the writer it stays.
func TestClientsStayAtTheWriter(t *testing.T) {
	story.InCI(t)
	s := play(t)
	left, stayed := make(chan int, members), make(chan int, members)
	for i := range members {
		db := s.writer.open(i)
		t.Cleanup(func() { _ = db.Close() })
		c, err := db.Conn(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		go func() {
			if stays(t.Context(), c, 30*time.Second) {
				stayed <- i
			} else {
				left <- i
			}
		}()
	}
	s.Until("all clients having an answer", time.Minute, func() bool { return len(left)+len(stayed) == members })
	if len(stayed) != 1 || s.Pod(<-stayed) != s.op.writerIs() {
		t.Errorf("%d clients were sent away, want those that are not at the writer %s", len(left), s.op.writerIs())
	}
	s.finish()
}

// stays tells whether a connection is good for a time in which it is used.
func stays(ctx context.Context, c *sql.Conn, lasts time.Duration) bool {
	end := time.After(lasts)
	tick := time.NewTicker(500 * time.Millisecond)
	defer tick.Stop()
	for {
		select {
		case <-end:
			return true
		case <-tick.C:
			if _, err := c.ExecContext(ctx, "DO 1"); err != nil {
				return false
			}
		}
	}
}
