package barbican

import (
	_ "embed"

	corev1 "k8s.io/api/core/v1"

	"stackwright.dev/kit/ref"

	servicev1 "stackwright.dev/stackwright/api/service/v1alpha1"
	"stackwright.dev/stackwright/internal/service"
	"stackwright.dev/stackwright/internal/service/oslo"
)

const (
	refListener = "listener"
	// listenerName is the worker's, and the folder where its account is mounted.
	listenerName   = "keystone-listener"
	listenerModule = "stackwright_listener"
	keyTransport   = "transport_url"
	keyAuthority   = "ca.crt"
)

//go:embed stackwright_listener.py
var listenerProgram []byte

func listenerSecret(b *barbican) string { return b.Spec.KeystoneListener.Secret }

func listens(b *barbican) bool { return listenerSecret(b) != "" }

func listenerRef() ref.Ref[*barbican] {
	return ref.Local(refListener, &corev1.Secret{}, listenerSecret,
		ref.Fields[*barbican](keyTransport, keyAuthority))
}

// listener removes what a project has stored when Keystone tells that the project is deleted.
func listener() service.Worker[*barbican] {
	return service.Worker[*barbican]{
		Name: listenerName, Title: "KeystoneListener", Command: []string{"python3", "-m", listenerModule}, When: listens,
		Peers:    []service.Peer{service.Bus()},
		Settings: func(b *barbican) servicev1.Worker { return b.Spec.KeystoneListener.Worker },
		Client: &service.Client[*barbican]{Mount: service.Mount[*barbican]{Name: listenerName, Secret: listenerSecret},
			Ref: refListener, Key: keyTransport},
	}
}

// hear sets how Keystone is listened to. The account may have queues of such a name and no other, see
// docs/adr/0036-who-listens-has-accounts-of-its-own.md.
func hear(f *oslo.File) {
	f.Set("keystone_notifications", "enable", true)
	f.Set("keystone_notifications", "pool_name", "stackwright.notifications.barbican")
	f.Set("keystone_notifications", "allow_requeue", true)
}
