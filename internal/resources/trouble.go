package resources

import (
	"context"
	"slices"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"stackwright.dev/kit/condition"

	openstackv1 "stackwright.dev/stackwright/api/openstack/v1alpha1"
	"stackwright.dev/stackwright/internal/openstack"
)

// conditionAnswering tells whether all services answer that objects need.
const conditionAnswering = "Answering"

// serviceIdentity is the type of the service without which none can be asked.
const serviceIdentity = "identity"

// silence are the services that do not answer, each with what was tried last. A service that refuses to list one kind
// answers, and one that nobody waits for is not asked.
func (c *cloud) silence() (services []string, last map[string]error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	last = map[string]error{}
	for _, w := range c.mirrors {
		service, err := w.lister.kind.Service, w.Trouble()
		if openstack.ClassOf(err) != openstack.Unavailable {
			continue
		}
		if old := last[service]; old == nil || err.Error() < old.Error() {
			last[service] = err
		}
	}
	for service := range last {
		services = append(services, service)
	}
	slices.Sort(services)
	return services, last
}

// trouble is why the cloud cannot be reached. A service that does not answer, other than that of identities, is no
// trouble of the others: then it is the identity service that is asked.
func (c *cloud) trouble(ctx context.Context) error {
	services, last := c.silence()
	if len(services) == 0 || last[serviceIdentity] != nil {
		return last[serviceIdentity]
	}
	_, err := c.door.Do(ctx, openstack.Request{Service: serviceIdentity, Path: "auth/catalog", Lane: openstack.Drift})
	if openstack.ClassOf(err) == openstack.Unavailable {
		return last[services[0]]
	}
	return nil
}

// answers writes into the status of a cloud whether all services answer.
func (e *Engine) answers(key cloudKey, status *openstackv1.CloudStatus) {
	cl := e.clouds.get(key)
	if cl == nil {
		return
	}
	c := metav1.Condition{Type: conditionAnswering, Status: condition.True, ObservedGeneration: status.ObservedGeneration,
		Reason: "Answering", Message: "All services answer that objects need."}
	if services, last := cl.silence(); len(services) > 0 {
		c.Status, c.Reason, c.Message = condition.False, "Silent", "Service "+services[0]+" does not answer: "+
			last[services[0]].Error()+"."
		if len(services) > 1 {
			c.Message += " Nor do " + few(services[1:]) + "."
		}
		c.Message += " See why; objects of others are kept."
	}
	condition.Set(&status.Conditions, c)
}
