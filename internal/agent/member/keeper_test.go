package member

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func keeper(t *testing.T) *Keeper {
	t.Helper()
	root := filepath.Join(t.TempDir(), "volume")
	if err := os.MkdirAll(root, 0o700); err != nil {
		t.Fatal(err)
	}
	k, err := New(Place{Pod: "mq-1", Domain: "mq-members.cloud.svc", Root: root, Word: "broker", Files: []string{"data"}})
	if err != nil {
		t.Fatal(err)
	}
	return k
}

func TestPeers(t *testing.T) {
	p := Place{Pod: "my-mq-1", Domain: "d.svc"}
	if diff := cmp.Diff([]string{"my-mq-0", "my-mq-2"}, p.Peers()); diff != "" {
		t.Errorf("peers (-want +got):\n%s", diff)
	}
}

// An order must be on the volume before it is acted on, and one for another volume or an older formation is refused.
func TestOrders(t *testing.T) {
	k := keeper(t)
	k.Recall(Blank, "")
	volume := k.Vol.Memo().Volume
	for name, o := range map[string]Start{
		"another volume": {Mode: Seed, Epoch: 1, Volume: "other"},
		"unknown mode":   {Mode: "Dance", Epoch: 1, Volume: volume},
		"join nobody":    {Mode: Join, Epoch: 1, Volume: volume},
		"alone, no data": {Mode: Alone, Epoch: 2, Volume: volume},
	} {
		t.Run(name, func(t *testing.T) {
			if _, err := k.order(t.Context(), o); err == nil {
				t.Error("the order was taken")
			}
		})
	}
	o := Start{Mode: Join, Epoch: 3, Volume: volume, Peers: []string{"mq-0"}}
	if _, err := k.order(t.Context(), o); err != nil {
		t.Fatal(err)
	}
	taken, err := k.obey(<-k.starts)
	if err != nil || taken == nil {
		t.Fatalf("the order was dropped: %v", err)
	}
	again, err := OpenVolume(k.Root)
	if err != nil {
		t.Fatal(err)
	}
	m := again.Memo()
	if m.Epoch != 3 || m.Data || m.Order == nil || m.Order.Mode != Join {
		t.Errorf("after a crash the volume remembers %+v", m)
	}
	if next, err := k.idle(t.Context()); err != nil || next == nil || next.Mode != Join {
		t.Errorf("a join that was cut off does not go on: %+v, %v", next, err)
	}
}

// A member that runs with most of the others must not be made to go on without them.
func TestAloneOnlyWithoutAMajority(t *testing.T) {
	for name, c := range map[string]struct {
		running []string
		refused bool
	}{
		"with a majority":    {[]string{"mq-0", "mq-1"}, true},
		"without a majority": {[]string{"mq-1"}, false},
	} {
		t.Run(name, func(t *testing.T) {
			k := keeper(t)
			err := k.Vol.Remember(func(m *Memo) { m.Data, m.Epoch, m.Members = true, 1, []string{"mq-0", "mq-1", "mq-2"} })
			if err != nil {
				t.Fatal(err)
			}
			k.Recall(Running, "")
			k.Set(func(s *State) { s.Service.Running = c.running })
			_, err = k.order(t.Context(), Start{Mode: Alone, Epoch: 2, Volume: k.Vol.Memo().Volume})
			if (err != nil) != c.refused {
				t.Errorf("the order is refused with %v, want a refusal: %t", err, c.refused)
			}
		})
	}
}

// Leaving is asked of members that run only: the others have to know.
func TestLeave(t *testing.T) {
	k := keeper(t)
	_, err := k.leave(t.Context(), Nothing{})
	if err == nil || !strings.Contains(err.Error(), "the broker of mq-1 is Down") {
		t.Errorf("a member that is down takes the order: %v", err)
	}
	k.Recall(Running, "")
	if _, err := k.leave(t.Context(), Nothing{}); err != nil || !k.Vol.Memo().Leaving {
		t.Errorf("the order is not on the volume: %v", err)
	}
}

func TestVolumeOfAMemberIsNotWiped(t *testing.T) {
	v, err := OpenVolume(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	if err := os.MkdirAll(v.Path("data", "coordination"), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := v.Remember(func(m *Memo) { m.Data = true }); err != nil {
		t.Fatal(err)
	}
	if err := v.Wipe("data"); err == nil {
		t.Error("the data of a member was removed")
	}
	if err := v.Remember(func(m *Memo) { m.Data = false }); err != nil {
		t.Fatal(err)
	}
	if err := v.Wipe("data"); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(v.Path("data")); !os.IsNotExist(err) {
		t.Errorf("the data is still there: %v", err)
	}
}
