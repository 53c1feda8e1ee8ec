package operator

import (
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/selection"
)

// labelName is the label by which pods say what they run.
const labelName = "app.kubernetes.io/name"

// ownPods selects the pods that our workloads make, which conditions tell about. Pods of others with these names are
// cached, too, and told of by nobody.
func ownPods() labels.Selector {
	r, err := labels.NewRequirement(labelName, selection.In, []string{"barbican", "buildingblock", "ceph", "ceph-content",
		"cinder", "galera", "glance", "heat", "horizon", "keystone", "memcached", "neutron", "nova", "novacell",
		"openstackclient", "ovn", "ovn-chassis", "placement", "rabbitmq"})
	if err != nil {
		return labels.Nothing() // cannot happen: the names are constants
	}
	return labels.NewSelector().Add(*r)
}
