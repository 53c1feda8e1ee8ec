// Package gate decides whether a Kubernetes object is ready, from its cached record, with a message that says why not.
package gate

import (
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// Gate tells whether obj is ready. why is empty when it is; otherwise it is a sentence that names what is missing and
// is the same as long as the state is the same. A gate does not write to obj and reads nothing else.
type Gate func(obj client.Object) (ready bool, why string)
