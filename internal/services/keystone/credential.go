package keystone

import (
	"fmt"
	"strconv"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"stackwright.dev/stackwright/internal/service/fernet"
)

// keyPrimary of the ConfigMap that remembers the last migration is the number of the key that encrypts all credentials.
const keyPrimary = "primary"

// firstPrimary is the number of the primary of a ring that was never rotated, with which nothing is left to migrate.
const firstPrimary = 1

// migrate encrypts all stored credentials with the primary key, once for each primary.
func (s server) migrate(sc *scope) ([]client.Object, error) {
	primary := primaryOf(sc)
	if primary <= firstPrimary {
		return nil, nil
	}
	name := fmt.Sprintf("%s-%d", stepMigrate, primary)
	return []client.Object{s.Job(sc.Owner(), name, pod{
		Component: stepMigrate, Command: manage("credential_migrate"),
	})}, nil
}

// migrated remembers for which primary that has been done.
func (s server) migrated(sc *scope) ([]client.Object, error) {
	return []client.Object{&corev1.ConfigMap{
		ObjectMeta: metav1.ObjectMeta{Name: migratedName(sc.Owner()), Labels: s.Labels(sc.Owner(), "")},
		Data:       map[string]string{keyPrimary: strconv.Itoa(primaryOf(sc))},
	}}, nil
}

func primaryOf(sc *scope) int {
	r := fernet.Load(sc.Content(refCredential), time.Time{})
	if r.Empty() {
		return 0
	}
	return r.Primary()
}

// migratedTo tells whether everything is encrypted with the ring's primary.
func migratedTo(sc *scope, r fernet.Ring) bool {
	return r.Empty() || r.Primary() <= firstPrimary ||
		string(sc.Content(refMigrated)[keyPrimary]) == strconv.Itoa(r.Primary())
}
