// Package mariadb is the agent in a MariaDB pod: it starts mariadbd on order or when peers run, knows where the data on
// its volume stands, keeps the role of the writer, and does SQL for the operator, so that no root password exists.
package mariadb

import (
	"fmt"
	"strconv"
	"strings"
	"time"
)

// NoUUID is the id of no history: a volume that was never part of a cluster, or whose copy was cut off half-way.
const NoUUID = "00000000-0000-0000-0000-000000000000"

// Position is a point in a cluster's history.
type Position struct {
	// UUID of the history.
	UUID string `json:"uuid"`
	// Seqno of the last transaction, -1 when unknown.
	Seqno int64 `json:"seqno"`
}

// Known tells whether the position can be compared with others of its history.
func (p Position) Known() bool { return p.UUID != "" && p.UUID != NoUUID && p.Seqno >= 0 }

// String returns the form that mariadbd reads and writes.
func (p Position) String() string { return fmt.Sprintf("%s:%d", p.UUID, p.Seqno) }

// ParsePosition reads the form of String.
func ParsePosition(s string) (Position, error) {
	uuid, seqno, ok := strings.Cut(s, ":")
	n, err := strconv.ParseInt(seqno, 10, 64)
	if !ok || err != nil || len(uuid) != len(NoUUID) {
		return Position{}, fmt.Errorf("%q is no position; it looks like %s:42", s, NoUUID)
	}
	return Position{UUID: uuid, Seqno: n}, nil
}

// Phase of a member.
type Phase string

// The phases of a member.
const (
	// Inspecting: the agent finds out where the data on the volume stands.
	Inspecting Phase = "Inspecting"
	// Down: mariadbd does not run; it starts when a peer runs in a primary component, or on order.
	Down Phase = "Down"
	// Starting: mariadbd was started, and does not serve yet; it may be receiving a copy.
	Starting Phase = "Starting"
	// Running: mariadbd answers; Wsrep tells whether it serves.
	Running Phase = "Running"
	// Stopping: mariadbd was told to stop.
	Stopping Phase = "Stopping"
	// Blocked: the agent will not start mariadbd by itself; the message says why and what a person can do.
	Blocked Phase = "Blocked"
)

// State is what an agent knows of its member.
type State struct {
	// Pod is the member's name.
	Pod string `json:"pod"`
	// Volume is the id that this volume got when an agent first saw it.
	Volume string `json:"volume"`
	// Version grows with each change, for those who wait for one.
	Version int64 `json:"version"`
	Phase   Phase `json:"phase"`
	// Message explains the phase for people.
	Message string `json:"message,omitempty"`
	// Empty tells that the volume has no data.
	Empty bool `json:"empty"`
	// Position of the data while mariadbd does not run.
	Position Position `json:"position"`
	// Epoch of the last start order that was accepted.
	Epoch int64 `json:"epoch"`
	// Role is the newest writer order that this member knows of.
	Role Role `json:"role"`
	// Writable tells that this member takes writes of clients now.
	Writable bool `json:"writable"`
	// Full tells that the volume has so little room left that this member takes no writes.
	Full bool `json:"full,omitempty"`
	// Wsrep is what mariadbd says while it runs.
	Wsrep Wsrep `json:"wsrep"`
	// Log has the last lines of mariadbd when it ended by itself.
	Log []string `json:"log,omitempty"`
}

// Serves tells whether clients may use the member. A donor serves, because a copy is taken without blocking it.
func (s State) Serves() bool {
	return s.Phase == Running && s.Wsrep.Primary && s.Wsrep.Ready && (s.Wsrep.Local == Synced || s.Wsrep.Local == Donor)
}

// Local states of a member as Galera names them.
const (
	Synced = "Synced"
	Donor  = "Donor/Desynced"
)

// Wsrep is the state of replication.
type Wsrep struct {
	// Primary tells that the member belongs to the primary component.
	Primary bool `json:"primary"`
	// Ready tells that the member takes queries.
	Ready bool `json:"ready"`
	// Local is the member's own state, such as Synced.
	Local string `json:"local,omitempty"`
	// Members are the pods of the component.
	Members []string `json:"members,omitempty"`
	// UUID of the history, and the last committed transaction when the state last changed.
	UUID  string `json:"uuid,omitempty"`
	Seqno int64  `json:"seqno,omitempty"`
}

// Role is an order about which member takes writes. Higher terms win.
type Role struct {
	Term   int64  `json:"term"`
	Writer string `json:"writer"`
}

// Bootstrap orders a member to begin a primary component of its own.
type Bootstrap struct {
	// Epoch is higher than that of any other start, or the same as that of the same order given before.
	Epoch int64 `json:"epoch"`
	// Volume and Position that the order was decided on; the agent refuses when it has others.
	Volume   string   `json:"volume"`
	Position Position `json:"position"`
}

// Database orders a schema with an account that may use it and nothing else.
type Database struct {
	Name         string `json:"name"`
	CharacterSet string `json:"characterSet"`
	User         string `json:"user"`
	// Password of the account. It is never logged.
	Password string `json:"password,omitempty"`
	// RequireTLS refuses plain connections of the account.
	RequireTLS bool `json:"requireTLS"`
	// Owner is the object that the schema belongs to. A schema of another owner is left alone.
	Owner string `json:"owner"`
}

// DatabaseState is what there is of a schema and its account.
type DatabaseState struct {
	Exists       bool   `json:"exists"`
	CharacterSet string `json:"characterSet,omitempty"`
	// Owner is the object that the schema belongs to; empty if it was not made by an agent.
	Owner string `json:"owner,omitempty"`
	// Diff lists what is not as wanted.
	Diff []string `json:"diff,omitempty"`
}

// Settings are a configuration to be checked.
type Settings struct {
	// Config has the lines of a configuration file.
	Config string `json:"config"`
}

// Since asks for a state that is newer than a version, and waits for it as long as Hold.
type Since struct {
	Version int64         `json:"version"`
	Hold    time.Duration `json:"hold"`
}
