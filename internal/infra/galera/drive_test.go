package galera

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"stackwright.dev/stackwright/internal/agent/mariadb"
)

// book writes down in which order things are recorded and ordered, and fails what it is told to.
type book struct {
	lines []string
	fails string
	state map[string]mariadb.State
}

func (b *book) note(format string, args ...any) error {
	l := fmt.Sprintf(format, args...)
	b.lines = append(b.lines, l)
	if b.fails != "" && strings.HasPrefix(l, b.fails) {
		return errors.New("it fails")
	}
	return nil
}

func (b *book) State(_ context.Context, pod string) (mariadb.State, error) {
	s, ok := b.state[pod]
	if !ok {
		return s, errors.New("no answer")
	}
	return s, nil
}

func (b *book) Bootstrap(_ context.Context, pod string, o mariadb.Bootstrap) error {
	return b.note("bootstrap %s epoch %d volume %s", pod, o.Epoch, o.Volume)
}

func (b *book) Halt(_ context.Context, pod string) error { return b.note("halt %s", pod) }

func (b *book) Assign(_ context.Context, pod string, r mariadb.Role) (mariadb.State, error) {
	s := b.state[pod]
	s.Role, s.Writable = r, r.Writer == pod
	return s, b.note("assign %s: %d/%s", pod, r.Term, r.Writer)
}

func (b *book) save(r Record) error { return b.note("save %s", r.String()) }

// in makes a member's component have only these pods.
func in(pods ...string) trait { return func(s *mariadb.State) { s.Wsrep.Members = pods } }

func donor(s *mariadb.State) { s.Wsrep.Local = mariadb.Donor }

type driveCase struct {
	reports map[string]mariadb.State
	record  string
	fails   string
	want    []string
	fail    bool
}

// w1 is what a member knows that has been told of the first writer.
var w1 = role(1, "g-0")

// drives are what members report, and what is recorded and ordered then, in order.
var drives = map[string]driveCase{
	"the intent is recorded before the order": {
		reports: reports(m(empty), m(empty), m(empty)),
		want: []string{"save epoch=1 seed=g-0 volume=vg-0 position=" + mariadb.NoUUID + ":-1",
			"bootstrap g-0 epoch 1 volume vg-0"},
	},
	"without a record there is no order": {
		reports: reports(m(empty), m(empty), m(empty)), fails: "save", fail: true,
		want: []string{"save epoch=1 seed=g-0 volume=vg-0 position=" + mariadb.NoUUID + ":-1"},
	},
	"an order is given again without another record": {
		reports: reports(m(empty), m(empty), m(empty)), record: "epoch=1 seed=g-0 volume=vg-0 position=" + mariadb.NoUUID +
			":-1",
		want: []string{"bootstrap g-0 epoch 1 volume vg-0"},
	},
	"members of an earlier object have seen higher epochs": {
		reports: reports(m(at(ours, 9), epoch(7), role(3, "g-0")), m(at(ours, 9), epoch(7)), m(at(ours, 9), epoch(6))),
		want: []string{"save epoch=8 seed=g-0 volume=vg-0 position=" + ours + ":9 role=3/g-0",
			"bootstrap g-0 epoch 8 volume vg-0"},
	},
	"the first writer": {
		reports: reports(m(serving, epoch(1)), m(empty), m(empty)), record: "epoch=1 seed=g-0 volume=vg-0 position=" +
			mariadb.NoUUID + ":-1",
		want: []string{"save epoch=1 cluster=" + ours, "save epoch=1 cluster=" + ours + " role=1/g-0",
			"assign g-1: 1/g-0", "assign g-2: 1/g-0", "assign g-0: 1/g-0"},
	},
	"at rest nothing is said": {
		reports: reports(m(serving, writable, w1), m(serving, w1), m(serving, w1)), record: "epoch=1 cluster=" + ours +
			" role=1/g-0",
	},
	"a writer that came back is opened": {
		reports: reports(m(serving, w1), m(serving, w1), m(serving, w1)), record: "epoch=1 cluster=" + ours + " role=1/g-0",
		want: []string{"assign g-0: 1/g-0"},
	},
	"a new member learns the role": {
		reports: reports(m(serving, writable, w1), m(serving, w1), m(serving)), record: "epoch=1 cluster=" + ours +
			" role=1/g-0",
		want: []string{"assign g-2: 1/g-0"},
	},
	"a writer that is gone is followed by the first synced one": {
		reports: reports(nil, m(serving, donor, w1, in("g-1", "g-2")), m(serving, w1, in("g-1", "g-2"))),
		record:  "epoch=1 cluster=" + ours + " role=1/g-0",
		want: []string{"save epoch=1 cluster=" + ours + " role=1/g-0 role=2/g-2",
			"assign g-1: 2/g-2", "assign g-2: 2/g-2"},
	},
	"a writer that does not answer and still belongs to the cluster stops the change": {
		reports: reports(nil, m(serving, w1), m(serving, w1)), record: "epoch=1 cluster=" + ours + " role=1/g-0", fail: true,
		want: []string{"save epoch=1 cluster=" + ours + " role=1/g-0 role=2/g-1", "assign g-2: 2/g-1"},
	},
	"the old writer gives up before the new one takes over": {
		reports: reports(m(serving, writable, w1, func(s *mariadb.State) { s.Phase = mariadb.Stopping }), m(serving, w1),
			m(serving, w1)),
		record: "epoch=1 cluster=" + ours + " role=1/g-0",
		want: []string{"save epoch=1 cluster=" + ours + " role=1/g-0 role=2/g-1",
			"assign g-0: 2/g-1", "assign g-2: 2/g-1", "assign g-1: 2/g-1"},
	},
	"an old writer that does not give up stops the change": {
		reports: reports(m(serving, writable, w1, func(s *mariadb.State) { s.Phase = mariadb.Stopping }), m(serving, w1),
			m(serving, w1)),
		record: "epoch=1 cluster=" + ours + " role=1/g-0", fails: "assign g-0", fail: true,
		want: []string{"save epoch=1 cluster=" + ours + " role=1/g-0 role=2/g-1", "assign g-0: 2/g-1"},
	},
	"an order that took effect makes earlier ones history": {
		reports: reports(m(serving, role(2, "g-1")), m(serving, writable, role(2, "g-1")), m(serving, role(2, "g-1"))),
		record:  "epoch=1 cluster=" + ours + " role=1/g-0 role=2/g-1",
		want:    []string{"save epoch=1 cluster=" + ours + " role=2/g-1"},
	},
	"a third change while none took effect": {
		reports: reports(m(serving, role(1, "g-0")), nil, nil), record: "epoch=1 cluster=" + ours + " role=1/g-0 role=2/g-1",
		fail: true, // the component still has the others, and they may take writes
		want: []string{"save epoch=1 cluster=" + ours + " role=2/g-1 role=3/g-0"},
	},
	"members that lost the majority are halted": {
		reports: reports(m(alone), m(at(ours, 3)), m(at(ours, 3))), record: "epoch=1 cluster=" + ours + " role=1/g-0",
		want: []string{"halt g-0"},
	},
}

func TestDrive(t *testing.T) {
	for name, c := range drives {
		t.Run(name, func(t *testing.T) {
			b := &book{fails: c.fails, state: maps.Clone(c.reports)}
			w := World{Pods: Pods("g", 3), Reports: maps.Clone(c.reports), Record: record(t, c.record)}
			_, err := Drive(t.Context(), b, w, b.save)
			if (err != nil) != c.fail {
				t.Errorf("error is %v, want one: %v", err, c.fail)
			}
			if diff := cmp.Diff(c.want, b.lines); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestObserveLeavesOutWhoDoesNotAnswer(t *testing.T) {
	b := &book{state: reports(m(empty), nil, m(empty))}
	got := Observe(t.Context(), b, Pods("g", 3))
	if len(got) != 2 || got["g-0"].Pod != "g-0" {
		t.Errorf("got %v", got)
	}
}
