// Package rabbitmq is the agent in a RabbitMQ pod: it starts the broker, forms and leaves clusters by the operator's
// order, stops the broker without losing a quorum, and makes virtual hosts and users for the operator, so that no
// administrator's password leaves the pods.
package rabbitmq

// Phase of a member.
type Phase string

// The phases of a member.
const (
	// Blank: the volume has no data; the broker starts when the operator orders how.
	Blank Phase = "Blank"
	// Starting: the broker was started and does not serve yet; it may be waiting for a majority of members.
	Starting Phase = "Starting"
	// Running: the broker belongs to a cluster; Broker tells whether it serves.
	Running Phase = "Running"
	// Stopping: the broker was told to stop.
	Stopping Phase = "Stopping"
	// Down: the broker ended by itself and is started again in a moment.
	Down Phase = "Down"
	// Outdated: peers have formed a cluster without this member's data; the operator orders to join with an empty volume.
	Outdated Phase = "Outdated"
	// Left: the member has left the cluster for good and its pod can go.
	Left Phase = "Left"
	// Blocked: the broker is not started; the message says why and what a person can do.
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
	// Broker is what the broker says while it runs.
	Broker Broker `json:"broker"`
	// Log has the last lines of the broker when it ended by itself.
	Log []string `json:"log,omitempty"`
}

// Serves tells whether clients may use the member.
func (s State) Serves() bool { return s.Phase == Running && s.Broker.Why == "" }

// Broker is the state of a running broker.
type Broker struct {
	// Why says what keeps the broker from serving; empty when it serves.
	Why string `json:"why,omitempty"`
	// Running are the pods of the cluster whose broker runs.
	Running []string `json:"running,omitempty"`
	// Version of RabbitMQ.
	Version string `json:"version,omitempty"`
}

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

// Bus orders a virtual host with an account that may use it and nothing else.
type Bus struct {
	// Owner marks the virtual host; one with another mark is not touched.
	Owner string `json:"owner"`
	VHost string `json:"vhost"`
	User  string `json:"user"`
	// Password of the account. It is never logged.
	Password string `json:"password,omitempty"`
}

// BusState is what the broker has of a bus.
type BusState struct {
	// Exists tells that the virtual host exists.
	Exists bool `json:"exists"`
	// Owner is the virtual host's mark.
	Owner string `json:"owner,omitempty"`
	// UserOwner is the account's mark when it is not that of the bus.
	UserOwner string `json:"userOwner,omitempty"`
	// Diff lists what differs from what was asked for.
	Diff []string `json:"diff,omitempty"`
}

// Nothing is the body of orders and answers without content.
type Nothing struct{}
