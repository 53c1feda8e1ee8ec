package resources

import (
	"fmt"
	"testing"
	"testing/synctest"
	"time"

	"k8s.io/apimachinery/pkg/types"
)

// gang are many objects that a quota refuses as long as there is no room.
type gang struct {
	crowds
	tries, room int
}

func (g *gang) try(uid types.UID) {
	if g.tries++; g.room > 0 {
		g.room--
		g.left("Network", uid)
		g.next("Network", false)
		return
	}
	g.wait("Network", uid, func() { g.try(uid) })
}

// However many are refused, a try a minute looks for room, for ten minutes. Who gets in lets the next one try, until
// one is refused.
func TestACrowdLooksForRoom(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g := &gang{}
		const many = 1000
		for i := range many {
			g.try(types.UID(fmt.Sprint(i)))
		}
		<-time.After(9 * time.Minute)
		synctest.Wait()
		if n := g.tries - many; n < 9 || n > 11 {
			t.Errorf("%d tries in nine minutes without room", n)
		}
		g.tries, g.room = 0, 100
		<-time.After(time.Minute)
		synctest.Wait()
		if left := len(g.of["Network"].waiting); left != many-100 || g.tries > 102 {
			t.Errorf("with room for a hundred there are %d tries, and %d are left", g.tries, left)
		}
		<-time.After(10 * time.Minute)
		g.tries = 0
		<-time.After(time.Hour)
		synctest.Wait()
		if g.tries != 0 {
			t.Errorf("%d tries in an hour after they were given up", g.tries)
		}
		g.over("Network")
		if g.tries != many-100 {
			t.Errorf("%d try when a quota was changed, want all %d", g.tries, many-100)
		}
		g.room = many
		g.over("Network")
		if len(g.of) != 0 {
			t.Errorf("left is %v", g.of)
		}
	})
}
