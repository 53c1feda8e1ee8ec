// Package bus listens to the notifications that OpenStack services send over RabbitMQ when something has changed.
//
// A Listener has a queue of its own, which only its connection can use and which goes with it: nobody else's messages
// are taken away, and nothing is left behind. What is sent while there is no connection is lost, so a notification is
// a hint and never the truth.
package bus
