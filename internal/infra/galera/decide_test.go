package galera

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"stackwright.dev/stackwright/internal/agent/mariadb"
)

const (
	ours   = "11111111-1111-1111-1111-111111111111"
	theirs = "22222222-2222-2222-2222-222222222222"
)

// trait is a part of a report: what the member does, or what is on its volume.
type trait func(*mariadb.State)

func blocked(s *mariadb.State) { s.Phase = mariadb.Blocked }
func empty(s *mariadb.State) {
	s.Empty, s.Position = true, mariadb.Position{UUID: mariadb.NoUUID, Seqno: -1}
}
func half(s *mariadb.State) { s.Position = mariadb.Position{UUID: mariadb.NoUUID, Seqno: -1} }
func busy(s *mariadb.State) { s.Phase = mariadb.Inspecting }
func starting(s *mariadb.State) {
	s.Phase = mariadb.Starting
}
func alone(s *mariadb.State) { s.Phase, s.Position = mariadb.Running, mariadb.Position{} }
func serving(s *mariadb.State) {
	s.Phase, s.Position = mariadb.Running, mariadb.Position{}
	s.Wsrep = mariadb.Wsrep{Primary: true, Ready: true, Local: mariadb.Synced, UUID: ours,
		Members: []string{"g-0", "g-1", "g-2"}}
}
func writable(s *mariadb.State) { s.Writable = true }
func at(uuid string, n int64) trait {
	return func(s *mariadb.State) { s.Position = mariadb.Position{UUID: uuid, Seqno: n} }
}
func epoch(n int64) trait { return func(s *mariadb.State) { s.Epoch = n } }
func role(term int64, writer string) trait {
	return func(s *mariadb.State) { s.Role = mariadb.Role{Term: term, Writer: writer} }
}
func volume(id string) trait { return func(s *mariadb.State) { s.Volume = id } }

// reports makes the members' reports; a nil list is a member that does not answer.
func reports(members ...[]trait) map[string]mariadb.State {
	out := map[string]mariadb.State{}
	for i, list := range members {
		if list == nil {
			continue
		}
		pod := fmt.Sprintf("g-%d", i)
		s := mariadb.State{Pod: pod, Volume: "v" + pod, Phase: mariadb.Down}
		for _, f := range list {
			f(&s)
		}
		out[pod] = s
	}
	return out
}

func m(f ...trait) []trait { return append([]trait{}, f...) }

func record(t *testing.T, s string) Record {
	t.Helper()
	r, err := ParseRecord(s)
	if err != nil {
		t.Fatal(err)
	}
	return *r
}

const long = time.Minute

// What is decided, in short: an action with its member, or the reason of a wait. An exclamation mark says that a person
// is asked.
func short(d Decision) string {
	switch d.Action {
	case Begin:
		return fmt.Sprintf("begin %s epoch %d", d.Seed.Pod, d.Epoch)
	case Halt:
		return "halt " + strings.Join(d.Halt, " ")
	case Serve:
		return "serve"
	}
	if d.Person {
		return "wait " + d.Reason + "!"
	}
	return "wait " + d.Reason
}

type decideCase struct {
	replicas int
	reports  map[string]mariadb.State
	record   string
	override string
	epoch    int64
	still    time.Duration
	want     string
	text     string
}

func (c decideCase) run(t *testing.T) {
	t.Helper()
	if c.replicas == 0 {
		c.replicas = 3
	}
	w := World{Pods: Pods("g", int32(c.replicas)), Reports: c.reports, Record: record(t, c.record),
		Override: c.override, OverrideEpoch: c.epoch, Still: c.still}
	d := decide(w)
	if got := short(d); got != c.want {
		t.Errorf("decided %q, want %q (%s)", got, c.want, d.Text)
	}
	if !strings.Contains(d.Text, c.text) {
		t.Errorf("the text is %q, want something with %q", d.Text, c.text)
	}
	if d.Person && !strings.Contains(d.Text, "spec.recovery") && !strings.Contains(d.Text, "delete") &&
		!strings.Contains(d.Text, "Bring") {
		t.Errorf("the text does not tell a person what to do: %q", d.Text)
	}
}

func TestDecideFresh(t *testing.T) {
	for name, c := range map[string]decideCase{
		"nobody answers":         {reports: reports(nil, nil, nil), want: "wait WaitingForMembers"},
		"one does not answer":    {reports: reports(m(empty), m(empty), nil), want: "wait WaitingForMembers", text: "g-2"},
		"never without all":      {reports: reports(m(empty), m(empty), nil), still: long, want: "wait WaitingForMembers"},
		"all empty":              {reports: reports(m(empty), m(empty), m(empty)), want: "begin g-0 epoch 1"},
		"one is being looked at": {reports: reports(m(empty), m(busy), m(empty)), want: "wait Inspecting", text: "g-1"},
		"a single member":        {replicas: 1, reports: reports(m(empty)), want: "begin g-0 epoch 1"},
		"had data, all empty": {reports: reports(m(empty), m(empty), m(empty)), record: "epoch=4 cluster=" + ours +
			" role=1/g-0",
			want: "wait DataLost!", text: "set spec.recovery to {seed: g-0, epoch: 5}"},
	} {
		t.Run(name, c.run)
	}
}

func TestDecideAllDown(t *testing.T) {
	ran := "epoch=1 cluster=" + ours + " role=3/g-1"
	w := role(3, "g-1")
	for name, c := range map[string]decideCase{
		"furthest wins": {reports: reports(m(at(ours, 7), w), m(at(ours, 9), w), m(at(ours, 8), w)), record: ran,
			want: "begin g-1 epoch 2"},
		"one that is not the writer may be furthest": {reports: reports(m(at(ours, 7), w), m(at(ours, 9), w),
			m(at(ours, 10), w)),
			record: ran, want: "begin g-2 epoch 2"},
		"the writer wins among equals": {reports: reports(m(at(ours, 9), w), m(at(ours, 9), w), m(at(ours, 9), w)),
			record: ran,
			want:   "begin g-1 epoch 2"},
		"the first wins among equals": {reports: reports(m(at(ours, 9), w), m(at(ours, 8), w), m(at(ours, 9), w)),
			record: ran,
			want:   "begin g-0 epoch 2"},
		"another history never wins": {reports: reports(m(at(theirs, 900), w), m(at(ours, 9), w), m(at(ours, 8), w)),
			record: ran,
			want:   "begin g-1 epoch 2"},
		"a blocked member may be the seed": {reports: reports(m(at(ours, 7), w), m(blocked, at(ours, 9), w),
			m(at(ours, 8), w)),
			record: ran, want: "begin g-1 epoch 2"},
		"half a copy never wins": {reports: reports(m(half, w), m(at(ours, 9), w), m(at(ours, 8), w)), record: ran,
			want: "begin g-1 epoch 2"},
		"a lost volume of another": {reports: reports(m(empty), m(at(ours, 9), w), m(at(ours, 10), w)), record: ran,
			want: "begin g-2 epoch 2"},
		"two lost volumes of others": {reports: reports(m(empty), m(at(ours, 9), w), m(empty)), record: ran,
			want: "begin g-1 epoch 2"},
		"the writer's volume is lost": {reports: reports(m(at(ours, 9), w), m(empty), m(at(ours, 10), w)), record: ran,
			still: long,
			want:  "wait WritesMayBeLost!", text: "g-1 took the last writes and its data is not there: its volume is empty"},
		"the writer's volume is another": {reports: reports(m(at(ours, 9), w), m(at(theirs, 3), w), m(at(ours, 10), w)),
			record: ran,
			still:  long, want: "wait WritesMayBeLost!", text: "another history"},
		"the writer's volume has half a copy": {reports: reports(m(at(ours, 9), w), m(half), m(at(ours, 10), w)), record: ran,
			still: long, want: "wait WritesMayBeLost!", text: "half a copy"},
		"the writer does not answer": {reports: reports(m(at(ours, 9), w), nil, m(at(ours, 10), w)), record: ran, still: long,
			want: "wait WritesMayBeLost!", text: "it does not answer. Bring the missing members back; or, to start from g-2"},
		"another does not answer": {reports: reports(nil, m(at(ours, 9), w), m(at(ours, 10), w)), record: ran,
			want: "wait WaitingForMembers"},
		"another does not answer for long": {reports: reports(nil, m(at(ours, 9), w), m(at(ours, 10), w)), record: ran,
			still: long,
			want:  "begin g-2 epoch 2"},
		"only the writer is left": {reports: reports(nil, m(at(ours, 9), w), nil), record: ran, still: long,
			want: "begin g-1 epoch 2"},
		"one is being looked at": {reports: reports(m(busy), m(at(ours, 9), w), m(at(ours, 8), w)), record: ran, still: long,
			want: "wait Inspecting"},
		"one is stopping": {reports: reports(m(func(s *mariadb.State) { s.Phase = mariadb.Stopping }), m(at(ours, 9), w),
			m(at(ours, 8), w)),
			record: ran, want: "wait Inspecting"},
		"nobody knows where the data stands": {reports: reports(m(half, w), m(half, w), m(half, w)), record: ran, still: long,
			want: "wait NoSeed!"},
		"a single member": {replicas: 1, reports: reports(m(at(ours, 9), role(1, "g-0"))), record: "epoch=1 cluster=" + ours +
			" role=1/g-0",
			want: "begin g-0 epoch 2"},
		"no client ever wrote": {reports: reports(m(at(ours, 1)), m(empty), m(empty)), record: "epoch=1 cluster=" + ours,
			want: "begin g-0 epoch 2"},
	} {
		t.Run(name, c.run)
	}
}

// The last writer is not certain while an order to change it is on its way: then all that it may be have to be there.
func TestDecideUncertainWriter(t *testing.T) {
	record := "epoch=1 cluster=" + ours + " role=7/g-0 role=8/g-1"
	for name, c := range map[string]decideCase{
		"both there": {reports: reports(m(at(ours, 9), role(7, "g-0")), m(at(ours, 9), role(7, "g-0")), m(empty)),
			record: record,
			want:   "begin g-0 epoch 2"},
		"the old one is lost": {reports: reports(m(empty), m(at(ours, 9), role(7, "g-0")), m(at(ours, 9), role(7, "g-0"))),
			record: record,
			still:  long, want: "wait WritesMayBeLost!", text: "g-0 took the last writes"},
		"the new one is lost": {reports: reports(m(at(ours, 9), role(7, "g-0")), m(empty), m(at(ours, 9), role(7, "g-0"))),
			record: record,
			still:  long, want: "wait WritesMayBeLost!", text: "g-1 took the last writes"},
		"the old one is lost, the new order is known": {reports: reports(m(empty), m(at(ours, 9), role(8, "g-1")),
			m(at(ours, 9), role(7, "g-0"))), record: record, still: long, want: "wait WritesMayBeLost!", text: "g-0 took"},
		"a member knows a newer one than the record": {reports: reports(m(at(ours, 9), role(8, "g-1")),
			m(at(ours, 9), role(9, "g-2")),
			m(empty)), record: record, still: long, want: "wait WritesMayBeLost!", text: "g-2 took the last writes"},
	} {
		t.Run(name, c.run)
	}
}

// An object that was made anew over volumes that were kept knows nothing, and needs all of them.
func TestDecideWithoutARecord(t *testing.T) {
	w := role(3, "g-1")
	for name, c := range map[string]decideCase{
		"all there": {reports: reports(m(at(ours, 7), w), m(at(ours, 9), w), m(at(ours, 8), w)), want: "begin g-1 epoch 1"},
		"majority, and another history": {reports: reports(m(at(theirs, 70), w), m(at(ours, 9), w), m(at(ours, 8), w)),
			still: long, want: "wait WritesMayBeLost!", text: "g-0"},
		"no majority": {reports: reports(m(at(theirs, 70), w), m(at(ours, 9), w), m(empty)), still: long,
			want: "wait NoMajority!"},
		"one is empty": {reports: reports(m(empty), m(at(ours, 9), w), m(at(ours, 8), w)), still: long,
			want: "wait WritesMayBeLost!", text: "g-0"},
		"one does not answer": {reports: reports(nil, m(at(ours, 9), w), m(at(ours, 8), w)), still: long,
			want: "wait WritesMayBeLost!"},
		"one answers":     {reports: reports(nil, nil, m(at(ours, 8), w)), still: long, want: "wait WaitingForMembers!"},
		"a single member": {replicas: 1, reports: reports(m(at(ours, 8), w)), want: "begin g-0 epoch 1"},
	} {
		t.Run(name, c.run)
	}
}

// An order that was given is gone through with, and never given to another member while it may have had effect.
func TestDecidePending(t *testing.T) {
	w := role(3, "g-1")
	record := "epoch=2 cluster=" + ours + " seed=g-1 volume=vg-1 position=" + ours + ":9 role=3/g-1"
	for name, c := range map[string]decideCase{
		"not begun": {reports: reports(m(at(ours, 9), w), m(at(ours, 9), w), m(at(ours, 9), w)), record: record,
			want: "begin g-1 epoch 2"},
		"another one seems further": {reports: reports(m(at(ours, 10), w), m(at(ours, 9), w), m(at(ours, 9), w)),
			record: record,
			want:   "begin g-1 epoch 2"},
		"beginning": {reports: reports(m(at(ours, 9), w), m(starting), m(at(ours, 9), w)), record: record,
			want: "wait Starting"},
		"does not answer": {reports: reports(m(at(ours, 9), w), nil, m(at(ours, 9), w)), record: record, still: long,
			want: "wait SeedUnreachable!", text: "epoch: 3"},
		"its volume is gone": {reports: reports(m(at(ours, 10), role(3, "g-0")), m(empty, volume("new")), m(at(ours, 9), w)),
			record: "epoch=2 cluster=" + ours + " seed=g-1 volume=vg-1 position=" + ours +
				":9 role=3/g-0", want: "begin g-0 epoch 3"},
		"it has begun and is down again": {reports: reports(m(at(ours, 12), w), m(at(ours, 11), w), m(at(ours, 9), w)),
			record: record,
			want:   "begin g-0 epoch 3"},
		"the first start was cut off": {reports: reports(m(half), m(empty), m(empty)),
			record: "epoch=1 seed=g-0 volume=vg-0 position=" + mariadb.NoUUID + ":-1", want: "begin g-0 epoch 1"},
		"a person decides otherwise": {reports: reports(m(at(ours, 9), w), nil, m(at(ours, 9), w)), record: record,
			override: "g-0", epoch: 3, want: "begin g-0 epoch 3"},
	} {
		t.Run(name, c.run)
	}
}

func TestDecideRunning(t *testing.T) {
	ran := "epoch=1 cluster=" + ours + " role=3/g-1"
	other := func(s *mariadb.State) { serving(s); s.Wsrep.UUID = theirs }
	for name, c := range map[string]decideCase{
		"all run":           {reports: reports(m(serving), m(serving), m(serving)), record: ran, want: "serve"},
		"one runs":          {reports: reports(m(serving), nil, m(at(ours, 3))), record: ran, want: "serve"},
		"two histories run": {reports: reports(m(serving), m(other), nil), record: ran, want: "wait TwoHistories!"},
		"one without a majority, others silent": {reports: reports(m(alone), nil, nil), record: ran, still: long,
			want: "wait NoMajority!", text: "g-1, g-2"},
		"one without a majority, others down": {reports: reports(m(alone), m(at(ours, 9)), m(at(ours, 9))), record: ran,
			want: "halt g-0"},
		"all without a majority": {reports: reports(m(alone), m(alone), m(alone)), record: ran,
			want: "wait NoMajority!"},
		"all without a majority for long": {reports: reports(m(alone), m(alone), m(alone)), record: ran, still: long,
			want: "halt g-0 g-1 g-2"},
		"joining with nobody to join": {reports: reports(m(starting), m(at(ours, 9)), m(at(ours, 9))), record: ran,
			want: "halt g-0"},
		"a person decides": {reports: reports(m(alone), nil, nil), record: ran, override: "g-0", epoch: 2,
			want: "halt g-0"},
	} {
		t.Run(name, c.run)
	}
}

func TestDecideOverride(t *testing.T) {
	ran := "epoch=4 cluster=" + ours + " role=3/g-1"
	w := role(3, "g-1")
	lost := reports(m(at(ours, 9), w), m(empty), m(at(ours, 10), w))
	for name, c := range map[string]decideCase{
		"taken": {reports: lost, record: ran, override: "g-0", epoch: 5, want: "begin g-0 epoch 5"},
		"of an earlier start": {reports: lost, record: ran, override: "g-0", epoch: 4, still: long,
			want: "wait WritesMayBeLost!"},
		"of a later start": {reports: lost, record: ran, override: "g-0", epoch: 6, still: long,
			want: "wait WritesMayBeLost!"},
		"it does not answer": {reports: reports(nil, m(empty), m(at(ours, 10), w)), record: ran, override: "g-0", epoch: 5,
			still: long, want: "wait WritesMayBeLost!"},
		"while a cluster runs": {reports: reports(m(at(ours, 9), w), m(serving), m(serving)), record: ran, override: "g-0",
			epoch: 5, want: "serve"},
		"anew from nothing": {reports: reports(m(empty), m(empty), m(empty)), record: ran, override: "g-2", epoch: 5,
			want: "begin g-2 epoch 5"},
	} {
		t.Run(name, c.run)
	}
}

// Over every combination of what three members may report: no member begins while another runs in a majority, none with
// data of another history, and none without the data of the recorded writer.
//
//nolint:gocognit // one loop over all combinations reads better than its parts
func TestDecideNeverEndangersData(t *testing.T) {
	kinds := [][]trait{nil, m(empty), m(half), m(at(ours, 5)), m(at(ours, 9)), m(at(theirs, 99)), m(busy), m(starting),
		m(alone),
		m(serving), m(blocked, at(ours, 9))}
	ran := record(t, "epoch=1 cluster="+ours+" role=1/g-1")
	checked := 0
	for _, a := range kinds {
		for _, b := range kinds {
			for _, c := range kinds {
				for _, still := range []time.Duration{0, long} {
					w := World{Pods: Pods("g", 3), Reports: reports(a, b, c), Record: ran, Still: still}
					d := decide(w)
					checked++
					if d.Action != Begin {
						continue
					}
					writer, ok := w.Reports["g-1"]
					running := w.where(func(s mariadb.State) bool { return s.Phase != mariadb.Down && s.Phase != mariadb.Blocked })
					if len(running) > 0 || d.Seed.Position.UUID != ours || !ok || writer.Position.UUID != ours ||
						d.Seed.Position.Seqno < writer.Position.Seqno {
						t.Errorf("begins with %s in %+v", d.Seed.Pod, w.Reports)
					}
				}
			}
		}
	}
	if checked != 2*11*11*11 {
		t.Errorf("checked %d combinations", checked)
	}
}

func TestRecordRoundTrip(t *testing.T) {
	for _, s := range []string{
		"epoch=0", "epoch=1 cluster=" + ours,
		"epoch=3 cluster=" + ours + " seed=g-1 volume=ab position=" + ours + ":9 role=7/g-0 role=8/g-1",
		"epoch=1 seed=g-0 volume=ab position=" + mariadb.NoUUID + ":-1",
	} {
		r := record(t, s)
		if diff := cmp.Diff(s, r.String()); diff != "" {
			t.Error(diff)
		}
	}
	for _, s := range []string{"epoch=x", "role=1", "role=x/g-0", "position=9", "colour=red"} {
		if r, err := ParseRecord(s); err == nil && s != "role=1" {
			t.Errorf("%q was read as %v", s, r)
		}
	}
	r := Record{Cluster: ours, Epoch: 1 << 40, Seed: strings.Repeat("g", 40) + "-2", Volume: "0123456789abcdef",
		Position: mariadb.Position{UUID: ours, Seqno: 1 << 50}}
	for i := range int64(9) {
		r.order(mariadb.Role{Term: 1<<30 + i, Writer: fmt.Sprintf("%s-%d", strings.Repeat("g", 40), i%maxReplicas)})
	}
	if n := len(r.String()); n > 512 {
		t.Errorf("the longest record has %d characters, its field 512", n)
	}
}
