package controlplane

import (
	"cmp"
	"net/url"
	"strings"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/types"

	"stackwright.dev/kit/outcome"
	"stackwright.dev/kit/step"

	controlplanev1 "stackwright.dev/stackwright/api/controlplane/v1alpha1"
	openstackv1 "stackwright.dev/stackwright/api/openstack/v1alpha1"
	"stackwright.dev/stackwright/internal/infra/messagebus"
	"stackwright.dev/stackwright/internal/openstack/bus"
	"stackwright.dev/stackwright/internal/pki"
)

// sender is who tells of changes over a MessageBus of its own. Exchanges are those of the type of its service.
type sender struct{ bus, service string }

// notifies tells whether a service sends notifications, which was asked for or not.
func notifies(o *cloud, asked bool) bool { return rabbitOn(o) && (asked || o.Spec.Notifications) }

// keystoneSends tells whether Keystone tells of changes.
func keystoneSends(o *cloud) bool {
	return keystoneOn(o) && notifies(o, cmp.Or(o.Spec.Services.Keystone, &controlplanev1.KeystoneService{}).Notifications)
}

// senders are all who tell of changes. What happens to servers is told by cells, too.
func senders(o *cloud) []sender {
	s := o.Spec.Services
	var out []sender
	add := func(on, asked bool, name, service string) {
		if on && notifies(o, asked) {
			out = append(out, sender{childName(o, name), service})
		}
	}
	if keystoneSends(o) {
		out = append(out, sender{childName(o, "keystone"), "identity"})
	}
	add(glanceOn(o), cmp.Or(s.Glance, &controlplanev1.GlanceService{}).Notifications, "glance", "image")
	add(neutronOn(o), cmp.Or(s.Neutron, &controlplanev1.NeutronService{}).Notifications, "neutron", "network")
	add(cinderOn(o), cmp.Or(s.Cinder, &controlplanev1.CinderService{}).Notifications, "cinder", "block-storage")
	add(heatOn(o), cmp.Or(s.Heat, &controlplanev1.HeatService{}).Notifications, "heat", "orchestration")
	nova := cmp.Or(s.Nova, &controlplanev1.NovaService{}).Notifications
	add(novaOn(o), nova, "nova", "compute")
	for _, cell := range cellKeys(o) {
		if notifies(o, nova) {
			out = append(out, sender{cell.Name, "compute"})
		}
	}
	return out
}

func anybodySends(o *cloud) bool { return len(senders(o)) > 0 }

// notificationsSecret has the URLs of all buses that somebody may listen to who wants to hear of changes.
func notificationsSecret(o *cloud) string { return childName(o, "notifications") }

// listenerKeys are the accounts that may listen to senders.
func listenerKeys(o *cloud) []types.NamespacedName {
	var keys []types.NamespacedName
	for _, s := range senders(o) {
		keys = append(keys, types.NamespacedName{Namespace: o.Namespace, Name: messagebus.ListenerSecretName(s.bus)})
	}
	return keys
}

// heard says where the Cloud of the control plane hears of changes.
func heard(o *cloud) *openstackv1.CloudNotifications {
	if !anybodySends(o) {
		return nil
	}
	return &openstackv1.CloudNotifications{SecretRef: openstackv1.CloudSecret{Name: notificationsSecret(o)}}
}

// notifications gathers the accounts. A service that is not there yet keeps nobody from hearing of the others.
func notifications(s *scope, _ map[string][]byte) (*step.Generated, error) {
	var urls []string
	var authorities [][]byte // a cell may have a RabbitMQ of another one
	from := senders(s.Owner())
	for i, account := range s.Contents(refListeners) {
		if at := string(account[messagebus.KeyTransportURL]); at != "" {
			only := url.Values{"exchange": bus.Exchanges([]string{from[i].service})}
			urls, authorities = append(urls, at+"?"+only.Encode()), append(authorities, account[messagebus.KeyCA])
		}
	}
	if err := s.Err(); err != nil {
		return nil, err
	}
	if len(urls) == 0 {
		return nil, &outcome.Missing{On: "MessageBus " + from[0].bus,
			Message: "Waits for the account that may listen to MessageBus " + from[0].bus + "; see its conditions."}
	}
	out := &corev1.Secret{Type: corev1.SecretTypeOpaque, Data: map[string][]byte{
		messagebus.KeyTransportURL: []byte(strings.Join(urls, "\n"))}}
	if all := pki.Bundle(authorities...); len(all) > 0 {
		out.Data[messagebus.KeyCA] = all
	}
	out.Name, out.Namespace = notificationsSecret(s.Owner()), s.Owner().Namespace
	return &step.Generated{Secret: out}, nil
}
