// Package timeline keeps what objects said about themselves while a cloud came up, and draws it: what ran when, and
// what waited for what.
package timeline

import (
	"regexp"
	"slices"
	"strings"
	"time"
)

// State is what an object was doing.
type State int

// The states of an object.
const (
	// Waits for another object.
	Waits State = iota
	// Works on something of its own: its Jobs and pods.
	Works
	// Troubled is an error that it told.
	Troubled
	// Ready is done.
	Ready
)

// Moment is when an object began to say something.
type Moment struct {
	At    time.Time
	State State
	// Text is the sentence of the object, empty when it is ready.
	Text string
}

// Row is what one object said, in the order of time.
type Row struct {
	Group, Kind, Namespace, Name string
	Moments                      []Moment
}

// Label is what a person calls the object: without the name that all objects of a control plane begin with.
func (r Row) Label() string {
	if rest := strings.TrimPrefix(r.Name, "openstack-"); !strings.EqualFold(rest, r.Kind) && r.Name != "openstack" {
		return r.Kind + " " + rest
	}
	return r.Kind
}

// began is when the object was seen first.
func (r Row) began() time.Time { return r.Moments[0].At }

// ReadyAt is when the object became ready for good; false while it is not.
func (r Row) ReadyAt() (time.Time, bool) {
	last := r.Moments[len(r.Moments)-1]
	return last.At, last.State == Ready
}

// workloads are what an object starts by itself: to wait for them is to work.
var workloads = []string{"Job", "Deployment", "StatefulSet", "DaemonSet", "Pod", "Service"}

// other is `Kind name`, by which a step names the object that it waits for.
var other = regexp.MustCompile(`^([A-Z]\w+) \S+$`)

// state is what condition Ready means, of an object whose first step that is not ready waits for on.
func state(status, reason, on string) State {
	if status == "True" {
		return Ready
	}
	switch reason {
	case "InvalidSpec", "Conflict", "QuotaExceeded", "Denied", "RateLimited", "Unavailable", "Panicked", "Error":
		return Troubled
	}
	if m := other.FindStringSubmatch(on); m != nil && !slices.Contains(workloads, m[1]) {
		return Waits
	}
	return Works
}

// add notes what an object says now, unless it said so before.
func (r *Row) add(m Moment) {
	if n := len(r.Moments); n > 0 && r.Moments[n-1].State == m.State && r.Moments[n-1].Text == m.Text {
		return
	}
	r.Moments = append(r.Moments, m)
}
