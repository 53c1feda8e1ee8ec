// Package rabbitmq is the agent in a RabbitMQ pod: it starts the broker, forms and leaves clusters by the operator's
// order, stops the broker without losing a quorum, and makes virtual hosts and users for the operator, so that no
// administrator's password leaves the pods.
package rabbitmq

// Bus orders a virtual host with an account that may use it and nothing else.
type Bus struct {
	// Owner marks the virtual host; one with another mark is not touched.
	Owner string `json:"owner"`
	VHost string `json:"vhost"`
	User  string `json:"user"`
	// Password of the account. It is never logged.
	Password string `json:"password,omitempty"`
	// ListenerPassword is that of a second account, which may listen to notifications and nothing else; empty for none.
	// It is never logged.
	ListenerPassword string `json:"listenerPassword,omitempty"`
}

// Listener is the name of the second account.
func (b Bus) Listener() string { return b.User + "-listener" }

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
