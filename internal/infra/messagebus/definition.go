// Package messagebus is the operator of MessageBus: a virtual host in a RabbitMQ with an account of its own, made by
// the agent of one of its members.
package messagebus

import (
	"cmp"
	"crypto/rand"
	"encoding/base64"
	"fmt"
	"net"
	"net/url"
	"strconv"
	"strings"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"stackwright.dev/kit"
	"stackwright.dev/kit/external"
	"stackwright.dev/kit/outcome"
	"stackwright.dev/kit/ref"
	"stackwright.dev/kit/step"

	infrav1 "stackwright.dev/stackwright/api/infra/v1alpha1"
	wire "stackwright.dev/stackwright/internal/agent/rabbitmq"
	"stackwright.dev/stackwright/internal/infra/rabbitmq"
	"stackwright.dev/stackwright/internal/pki"
)

type (
	object = *infrav1.MessageBus
	scope  = step.Scope[object]
)

// Names of steps and references.
const (
	stepSecret   = "secret"
	stepListener = "listener"
	refBroker    = "rabbitmq"
	refAgent     = "agent"
	refTLS       = "tls"
	refSecret    = "password"
	refListener  = "listener"
)

// Keys of a MessageBus's Secret.
const (
	KeyHosts        = "hosts"
	KeyPort         = "port"
	KeyVHost        = "vhost"
	KeyUsername     = "username"
	KeyPassword     = "password"
	KeyTransportURL = "transport_url"
	KeyCA           = "ca.crt"
)

// SecretName is the Secret that a MessageBus gives to its users.
func SecretName(name string) string { return name + "-bus" }

// ListenerSecretName is the Secret of the account that may listen to notifications.
func ListenerSecretName(name string) string { return SecretName(name) + "-listener" }

// Definition is the operator. Agents are called through dial.
func Definition(dial rabbitmq.Dial) kit.Definition[object] {
	retained := func(m object) bool { return m.Spec.DeletionPolicy == infrav1.RetainData }
	return kit.Definition[object]{
		Name: "messagebus",
		New:  func() object { return &infrav1.MessageBus{} },
		Refs: []ref.Ref[object]{
			ref.Local(refBroker, &infrav1.RabbitMQ{}, func(m object) string { return m.Spec.RabbitMQ },
				ref.WaitFor[object](formed), ref.DigestOf[object](cluster)),
			ref.Local(refAgent, &corev1.Secret{}, func(m object) string { return rabbitmq.AgentSecret(m.Spec.RabbitMQ) },
				ref.Fields[object](pki.CAKey, pki.AgentClientCert, pki.AgentClientKey)),
			ref.Local(refTLS, &corev1.Secret{}, func(m object) string { return rabbitmq.TLSSecret(m.Spec.RabbitMQ) },
				ref.Fields[object](pki.CAKey)),
			ref.Local(refSecret, &corev1.Secret{}, func(m object) string { return SecretName(m.Name) },
				ref.Fields[object](KeyPassword)),
			ref.To(refListener, &corev1.Secret{}, listenerKeys, ref.Fields[object](KeyPassword)),
		},
		Steps: []step.Step[object]{
			step.Secret(stepSecret, secretOf(SecretName, username), func(m object) string { return SecretName(m.Name) },
				step.Reads[object](refBroker, refTLS), step.KeepWhen(retained)),
			step.Secret(stepListener, secretOf(ListenerSecretName, listener),
				func(m object) string { return ListenerSecretName(m.Name) }, step.When(listens),
				step.Reads[object](refBroker, refTLS), step.KeepWhen(retained)),
			step.External("vhost", step.Externals[object, wire.Bus, struct{}]{
				Dial: connect(dial), Want: want,
				Policy: func(m object) external.Policy { return external.Policy{NoDelete: retained(m)} },
			}, step.After[object](stepSecret, stepListener), step.Reads[object](refBroker, refAgent, refSecret, refListener),
				step.Condition[object]("MessageBusReady")),
		},
		Report: report,
	}
}

// formed is the gate of the broker: its cluster exists, though not all of its members may serve.
func formed(obj client.Object) (bool, string) {
	r, ok := obj.(*infrav1.RabbitMQ)
	switch {
	case !ok:
		return false, "The broker is not readable."
	case r.DeletionTimestamp != nil:
		return false, "RabbitMQ " + r.Name + " is being deleted; make it again, or delete this MessageBus."
	case r.Status.Epoch == 0:
		return false, "RabbitMQ " + r.Name + " has not formed its cluster yet; see its conditions."
	}
	return true, ""
}

// cluster is what of a RabbitMQ a MessageBus depends on: its formation, after whose change everything has to be made
// again, and how clients reach it.
func cluster(obj client.Object) string {
	r, ok := obj.(*infrav1.RabbitMQ)
	if !ok {
		return ""
	}
	return fmt.Sprintf("%s/%d/%d/%t", r.UID, r.Status.Epoch, r.Spec.Replicas, r.Spec.TLS.Disabled)
}

func vhost(m object) string     { return cmp.Or(m.Spec.VHost, m.Name) }
func username(m object) string  { return cmp.Or(m.Spec.Username, m.Name) }
func ownerName(m object) string { return m.Namespace + "/" + m.Name }
func listener(m object) string  { return wire.Bus{User: username(m)}.Listener() }
func listens(m object) bool     { return m.Spec.Listener }

func listenerKeys(m object) []types.NamespacedName {
	if !listens(m) {
		return nil
	}
	return []types.NamespacedName{{Namespace: m.Namespace, Name: ListenerSecretName(m.Name)}}
}

// secretOf keeps the password of an account and says how to connect. A Secret that is deleted comes back with a new
// password.
func secretOf(name func(string) string, user func(object) string,
) func(*scope, map[string][]byte) (*step.Generated, error) {
	return func(s *scope, have map[string][]byte) (*step.Generated, error) {
		return secret(s, have, name(s.Owner().Name), user(s.Owner()))
	}
}

func secret(s *scope, have map[string][]byte, name, user string) (*step.Generated, error) {
	m := s.Owner()
	r, ok := s.Get(refBroker).(*infrav1.RabbitMQ)
	if !ok {
		return nil, fmt.Errorf("reading RabbitMQ %s", m.Spec.RabbitMQ)
	}
	// The line feed that echo leaves behind a password is not part of it.
	password := strings.TrimRight(string(have[KeyPassword]), "\r\n")
	// _transform_transport_url of oslo.messaging 16's _drivers/impl_rabbit.py quotes all else, and the address ends there.
	if strings.Contains(password, "/") {
		return nil, &outcome.Missing{On: "another password", Message: "Key password of Secret " + name + " has a slash, at " +
			"which oslo.messaging ends the address of a broker; write one without a slash, or delete the Secret for a new one."}
	}
	if password == "" {
		b := make([]byte, 24)
		_, _ = rand.Read(b)
		password = base64.RawURLEncoding.EncodeToString(b)
	}
	hosts, port := rabbitmq.Hosts(r), strconv.Itoa(int(rabbitmq.Port(r)))
	data := map[string]string{
		KeyHosts: strings.Join(hosts, ","), KeyPort: port, KeyVHost: vhost(m), KeyUsername: user,
		KeyPassword: password, KeyTransportURL: transportURL(hosts, port, escape(user)+":"+escape(password), vhost(m)),
	}
	if !r.Spec.TLS.Disabled {
		data[KeyCA] = s.Value(refTLS, pki.CAKey)
	}
	out := &corev1.Secret{Type: corev1.SecretTypeOpaque, Data: map[string][]byte{}}
	for k, v := range data {
		out.Data[k] = []byte(v)
	}
	out.Name, out.Namespace = name, m.Namespace
	return &step.Generated{Secret: out}, s.Err()
}

// escape is for a part of an account. What url.Userinfo leaves as it is may be a comma, at which oslo.messaging takes
// one host from the next.
func escape(s string) string { return strings.ReplaceAll(url.QueryEscape(s), "+", "%20") }

// transportURL is oslo.messaging's: every host has the account. Clients go to the next host when one is gone.
func transportURL(hosts []string, port, account, vhost string) string {
	parts := make([]string, len(hosts))
	for i, h := range hosts {
		parts[i] = account + "@" + net.JoinHostPort(h, port)
	}
	return "rabbit://" + strings.Join(parts, ",") + "/" + url.PathEscape(vhost)
}

func want(s *scope) (wire.Bus, error) {
	m := s.Owner()
	b := wire.Bus{Owner: ownerName(m), VHost: vhost(m), User: username(m), Password: s.Value(refSecret, KeyPassword)}
	if listens(m) {
		b.ListenerPassword = s.Value(refListener, KeyPassword)
	}
	return b, nil
}

func report(_ step.View, m object) {
	m.Status.SecretName, m.Status.VHost = SecretName(m.Name), vhost(m)
	if m.Status.ListenerSecretName = ""; listens(m) {
		m.Status.ListenerSecretName = ListenerSecretName(m.Name)
	}
}
