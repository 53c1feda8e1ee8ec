package story

import (
	"context"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	controlplanev1 "stackwright.dev/stackwright/api/controlplane/v1alpha1"
)

// UpToReady is how long a control plane of size dev may take from its object to Ready on two busy cores.
const UpToReady = 5 * time.Minute

// Cloud returns the control plane that every shared cluster has, once it is Ready. Stories that harm it wait until it
// is Ready again.
func (w *World) Cloud() *controlplanev1.OpenStackControlPlane {
	w.Helper()
	cp := &controlplanev1.OpenStackControlPlane{ObjectMeta: metav1.ObjectMeta{Namespace: "openstack", Name: "openstack"}}
	w.Ready(UpToReady, cp)
	return cp
}

// NewCloud returns an object, not yet applied, for a control plane of the test's own. It can be deleted without asking.
func (w *World) NewCloud(name string) *controlplanev1.OpenStackControlPlane {
	return &controlplanev1.OpenStackControlPlane{
		ObjectMeta: metav1.ObjectMeta{Namespace: w.Namespace, Name: name},
		Spec:       controlplanev1.OpenStackControlPlaneSpec{Size: controlplanev1.SizeDev, ConfirmDeletion: name},
	}
}

// Users are those who use a cloud from outside.
func (w *World) Users(cp *controlplanev1.OpenStackControlPlane) *Identity {
	w.Helper()
	return w.Identity(client.ObjectKey{Namespace: cp.Namespace, Name: cp.Status.Clouds})
}

// Change returns an object with the name of cp and nothing else. Applied with some fields set, it changes these alone,
// and the control plane goes back to what it was when the test ends: after all that the test made since its first
// change is gone, as that may need services to go.
func (w *World) Change(cp *controlplanev1.OpenStackControlPlane) *controlplanev1.OpenStackControlPlane {
	name := metav1.ObjectMeta{Namespace: cp.Namespace, Name: cp.Name}
	if key := client.ObjectKeyFromObject(cp); !w.changed[key] {
		w.changed[key] = true
		w.Cleanup(func() {
			w.Leave()
			w.applyIn(context.Background(), &controlplanev1.OpenStackControlPlane{ObjectMeta: name})
		})
	}
	return &controlplanev1.OpenStackControlPlane{ObjectMeta: name}
}
