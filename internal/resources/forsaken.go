package resources

import (
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"stackwright.dev/kit/outcome"

	controlplanev1 "stackwright.dev/stackwright/api/controlplane/v1alpha1"
)

// farewell is how long the resources of an OpenStack that goes with its namespace are waited for.
const farewell = 2 * time.Minute

// forsaken lets an object go whose resource goes anyway: its namespace is deleted, and with it the OpenStack that the
// Cloud stands for. The namespace controller takes the pods of the identity service away at once, so nobody may answer
// any more.
func (c *controller) forsaken(sc *scope, out *outcome.Outcome) *outcome.Outcome {
	namespace := sc.Get(refNamespace)
	if out.Ready() || namespace == nil || namespace.GetDeletionTimestamp() == nil || !isHere(sc.Get(refCloud)) {
		return out
	}
	left := farewell - sc.Now().Sub(namespace.GetDeletionTimestamp().Time)
	if left <= 0 {
		c.forget(sc.Owner())
		return nil
	}
	return outcome.Poll(min(left, refusedAgain), "namespace", "%s The namespace is deleted with the cloud that is in it; "+
		"wait: the object goes at last without an answer.", out.Message)
}

// isHere tells whether a Cloud is that of a control plane, which is in the same namespace, as are its databases. Any
// other may lead anywhere, although its credentials are here.
func isHere(cloud client.Object) bool {
	if cloud == nil {
		return false
	}
	by := metav1.GetControllerOf(cloud)
	return by != nil && by.Kind == "OpenStackControlPlane" &&
		schema.FromAPIVersionAndKind(by.APIVersion, by.Kind).Group == controlplanev1.GroupVersion.Group
}
