// Package member is what the agents have in common that keep members of a cluster with a Raft log, be it of a message
// broker or of a database: a member begins on an empty volume by the operator's order only, comes up with its data by
// itself, goes on alone when a person says so, and leaves for good.
package member

// Phase of a member.
type Phase string

// The phases of a member.
const (
	// Blank: the volume has no data; the daemon starts when the operator orders how.
	Blank Phase = "Blank"
	// Starting: the daemon was started and does not serve yet; it may be waiting for a majority of members.
	Starting Phase = "Starting"
	// Running: the daemon belongs to a cluster; Service tells whether it serves.
	Running Phase = "Running"
	// Stopping: the daemon was told to stop.
	Stopping Phase = "Stopping"
	// Down: the daemon ended by itself and is started again in a moment.
	Down Phase = "Down"
	// Outdated: peers have formed a cluster without this member's data; the operator orders to join with an empty volume.
	Outdated Phase = "Outdated"
	// Left: the member has left the cluster for good and its pod can go.
	Left Phase = "Left"
	// Blocked: the daemon is not started; the message says why and what a person can do.
	Blocked Phase = "Blocked"
)

// State is what an agent knows of its member.
type State struct {
	// Pod is the member's name.
	Pod string `json:"pod"`
	// Volume is the id that this volume got when an agent first saw it.
	Volume string `json:"volume"`
	// Phase of the member.
	Phase Phase `json:"phase"`
	// Message explains the phase for people.
	Message string `json:"message,omitempty"`
	// Epoch of the formation that the data belongs to, or of the order that is being obeyed; 0 on a volume without data.
	Epoch int64 `json:"epoch"`
	// Data tells that the volume has the data of a member.
	Data bool `json:"data"`
	// Members are the pods of the cluster, as this member last knew them.
	Members []string `json:"members,omitempty"`
	// Service is what the daemon says while it runs.
	Service Service `json:"service"`
	// Log has the last lines of the daemon when it ended by itself.
	Log []string `json:"log,omitempty"`
}

// Serves tells whether clients may use the member.
func (s State) Serves() bool { return s.Phase == Running && s.Service.Why == "" }

// Majority tells whether the daemon is in touch with most members of its cluster.
func (s State) Majority() bool { return 2*len(s.Service.Running) > len(s.Members) }

// Service is the state of a running daemon.
type Service struct {
	// Why says what keeps the daemon from serving; empty when it serves.
	Why string `json:"why,omitempty"`
	// Alarms are what the daemon runs short of. It serves, with what its kind of daemon refuses in that state.
	Alarms []Alarm `json:"alarms,omitempty"`
	// Running are the pods of the cluster whose daemon runs.
	Running []string `json:"running,omitempty"`
	// Version of the daemon.
	Version string `json:"version,omitempty"`
}

// Alarm is what a daemon runs short of.
type Alarm string

// The alarms.
const (
	// Disk: the volume has little room left.
	Disk Alarm = "Disk"
	// Memory: the daemon has taken as much as it may.
	Memory Alarm = "Memory"
)

// Mode is how a member begins.
type Mode string

// The ways to begin.
const (
	// Seed forms a new cluster on an empty volume.
	Seed Mode = "Seed"
	// Join takes an empty volume, or the outdated data of an earlier formation, into the cluster of Peers.
	Join Mode = "Join"
	// Alone makes the member go on with its data although the majority of its cluster is gone.
	Alone Mode = "Alone"
)

// Start orders how a member begins.
type Start struct {
	Mode Mode `json:"mode"`
	// Epoch of the formation.
	Epoch int64 `json:"epoch"`
	// Volume that the order was decided on; the agent refuses when it has another one.
	Volume string `json:"volume"`
	// Peers are the pods to join.
	Peers []string `json:"peers,omitempty"`
}

// Member names a member for an order about it.
type Member struct {
	Pod string `json:"pod"`
}

// Nothing is the body of orders and answers without content.
type Nothing struct{}
