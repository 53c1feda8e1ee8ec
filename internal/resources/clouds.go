package resources

import (
	"context"
	"slices"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"

	"stackwright.dev/kit"
	"stackwright.dev/kit/outcome"
	"stackwright.dev/kit/owner"
	"stackwright.dev/kit/ref"
	"stackwright.dev/kit/step"

	openstackv1 "stackwright.dev/stackwright/api/openstack/v1alpha1"
	"stackwright.dev/stackwright/internal/openstack"
)

const (
	refSecret   = "secret"
	stepSession = "session"

	keyClouds = "clouds.yaml"
	keyCA     = "ca.crt"
)

func (e *Engine) cloudControllers(scheme *runtime.Scheme) ([]kit.Controller, error) {
	own, err := kit.New(cloudDefinition(e, "cloud", func() *openstackv1.Cloud { return &openstackv1.Cloud{} },
		func(c *openstackv1.Cloud) (*openstackv1.CloudSpec, *openstackv1.CloudStatus) {
			return &c.Spec, &c.Status
		}), scheme)
	if err != nil {
		return nil, err
	}
	shared, err := kit.New(cloudDefinition(e, "clustercloud",
		func() *openstackv1.ClusterCloud { return &openstackv1.ClusterCloud{} },
		func(c *openstackv1.ClusterCloud) (*openstackv1.CloudSpec, *openstackv1.CloudStatus) {
			return &c.Spec.CloudSpec, &c.Status
		}), scheme)
	return []kit.Controller{own, shared}, err
}

// cloudDefinition is the controller of clouds of either kind.
func cloudDefinition[T owner.Object](e *Engine, name string, empty func() T,
	parts func(T) (*openstackv1.CloudSpec, *openstackv1.CloudStatus)) kit.Definition[T] {
	return kit.Definition[T]{
		Name: name, New: empty,
		Refs: []ref.Ref[T]{ref.To(refSecret, &corev1.Secret{}, func(o T) []types.NamespacedName {
			spec, _ := parts(o)
			key := types.NamespacedName{Namespace: spec.SecretRef.Namespace, Name: spec.SecretRef.Name}
			if o.GetNamespace() != "" {
				key.Namespace = o.GetNamespace()
			}
			return []types.NamespacedName{key}
		})},
		Steps: []step.Step[T]{{
			Name: stepSession, Kind: step.KindExternal, Reads: []string{refSecret}, Condition: "Authenticated",
			Act: func(ctx context.Context, sc *step.Scope[T]) *outcome.Outcome {
				spec, _ := parts(sc.Owner())
				return e.connect(ctx, keyOf(sc.Owner()), string(sc.Owner().GetUID()), spec, sc.Content(refSecret))
			},
			Release: func(_ context.Context, sc *step.Scope[T]) *outcome.Outcome { return e.disconnect(sc.Owner()) },
			EachRun: true,
		}},
		Wake: func(ctx context.Context, _ func(types.NamespacedName)) {
			<-ctx.Done()
			e.clouds.end()
		},
		Report: func(_ step.View, o T) {
			_, status := parts(o)
			e.describe(keyOf(o), status)
		},
	}
}

func keyOf(o owner.Object) cloudKey {
	return cloudKey{Namespace: o.GetNamespace(), Name: o.GetName()}
}

// connect opens the session of a cloud. The pool gives the same session for the same input.
func (e *Engine) connect(ctx context.Context, key cloudKey, scope string, spec *openstackv1.CloudSpec,
	content map[string][]byte) *outcome.Outcome {
	if len(content[keyClouds]) == 0 {
		return outcome.Refuse("InvalidSecret", "Secret %s has no key %s. Put the clouds.yaml of the cloud there.",
			spec.SecretRef.Name, keyClouds)
	}
	door, err := e.open(ctx, scope, openstack.Config{Clouds: content[keyClouds], Entry: spec.Entry, CA: content[keyCA],
		Region: spec.Region, Interface: spec.Interface, Limits: limits(spec.Limits)})
	if err != nil {
		return failed(err)
	}
	e.clouds.set(key, door, spec.SyncPeriod.Duration)
	return nil
}

// disconnect lets a cloud go once no object uses it: their resources could not be deleted any more.
func (e *Engine) disconnect(o owner.Object) *outcome.Outcome {
	key := keyOf(o)
	e.mu.Lock()
	n := len(e.users[key])
	e.mu.Unlock()
	if n > 0 {
		return outcome.Poll(quick, "objects", "Objects still use the cloud. Delete them first, or wait until they are gone.")
	}
	e.clouds.drop(key)
	return nil
}

// describe writes whom the credentials stand for.
func (e *Engine) describe(key cloudKey, status *openstackv1.CloudStatus) {
	cl := e.clouds.get(key)
	if cl == nil {
		return
	}
	status.Project, status.User = cl.door.ProjectID(), cl.door.UserID()
	status.Services = slices.Sorted(slices.Values(cl.door.Services()))
}

func limits(l openstackv1.CloudLimits) openstack.Limits {
	return openstack.Limits{"": {Rate: float64(l.RequestsPerSecond), Parallel: int(l.Parallel)}}
}
