package resources

import (
	"cmp"
	"context"
	"slices"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"

	"stackwright.dev/kit"
	"stackwright.dev/kit/outcome"
	"stackwright.dev/kit/owner"
	"stackwright.dev/kit/ref"
	"stackwright.dev/kit/step"

	openstackv1 "stackwright.dev/stackwright/api/openstack/v1alpha1"
	"stackwright.dev/stackwright/internal/openstack"
	d "stackwright.dev/stackwright/internal/resources/descriptor"
	"stackwright.dev/stackwright/internal/resources/fetch"
)

const (
	refSecret   = "secret"
	refBus      = "bus"
	stepSession = "session"

	keyClouds = "clouds.yaml"
	keyCA     = "ca.crt"
)

// cloudKind is what differs between Cloud and ClusterCloud.
type cloudKind[T owner.Object] struct {
	kind     string
	empty    func() T
	spec     func(T) *openstackv1.CloudSpec
	status   func(T) *openstackv1.CloudStatus
	selector func(T) *metav1.LabelSelector
	// sources are the private hosts that data of images may come from.
	sources func(T) []string
	bell    bell
}

func (e *Engine) cloudControllers(scheme *runtime.Scheme) ([]kit.Controller, error) {
	own, err := kit.New((&cloudKind[*openstackv1.Cloud]{
		kind: kindCloud, bell: newBell(), empty: func() *openstackv1.Cloud { return &openstackv1.Cloud{} },
		spec:     func(c *openstackv1.Cloud) *openstackv1.CloudSpec { return &c.Spec },
		status:   func(c *openstackv1.Cloud) *openstackv1.CloudStatus { return &c.Status },
		selector: func(*openstackv1.Cloud) *metav1.LabelSelector { return &metav1.LabelSelector{} },
		sources:  func(*openstackv1.Cloud) []string { return nil },
	}).definition(e), scheme)
	if err != nil {
		return nil, err
	}
	shared, err := kit.New((&cloudKind[*openstackv1.ClusterCloud]{
		kind: kindClusterCloud, bell: newBell(),
		empty:    func() *openstackv1.ClusterCloud { return &openstackv1.ClusterCloud{} },
		spec:     func(c *openstackv1.ClusterCloud) *openstackv1.CloudSpec { return &c.Spec.CloudSpec },
		status:   func(c *openstackv1.ClusterCloud) *openstackv1.CloudStatus { return &c.Status },
		selector: func(c *openstackv1.ClusterCloud) *metav1.LabelSelector { return &c.Spec.NamespaceSelector },
		sources:  func(c *openstackv1.ClusterCloud) []string { return c.Spec.ImageSources },
	}).definition(e), scheme)
	return []kit.Controller{own, shared}, err
}

func (k *cloudKind[T]) definition(e *Engine) kit.Definition[T] {
	e.bells[k.kind] = &k.bell
	return kit.Definition[T]{
		Name: lower(k.kind), New: k.empty,
		Refs: []ref.Ref[T]{
			ref.To(refSecret, &corev1.Secret{}, func(o T) []types.NamespacedName {
				return []types.NamespacedName{secretKey(o, k.spec(o).SecretRef)}
			}, ref.Hold[T]()),
			// A bus that cannot be listened to stops nothing: a condition tells.
			ref.To(refBus, &corev1.Secret{}, func(o T) []types.NamespacedName {
				if n := k.spec(o).Notifications; n != nil {
					return []types.NamespacedName{secretKey(o, n.SecretRef)}
				}
				return nil
			}, ref.Fields[T](keyTransport, keyCA), ref.Optional[T]()),
		},
		Steps: []step.Step[T]{{
			Name: stepSession, Kind: step.KindExternal, Reads: []string{refSecret, refBus}, Condition: "Authenticated",
			EachRun: true, Every: time.Minute, // to tell of a cloud that does not answer any more
			Act:     func(ctx context.Context, sc *step.Scope[T]) *outcome.Outcome { return k.act(ctx, e, sc) },
			Release: func(_ context.Context, sc *step.Scope[T]) *outcome.Outcome { return e.disconnect(sc.Owner()) },
		}},
		Guard: func(_ step.View, o T) string { return e.guard(keyOf(o)) },
		Wake: func(ctx context.Context, wake func(types.NamespacedName)) {
			k.bell.ring(ctx, wake)
			e.clouds.end()
		},
		Report: func(_ step.View, o T) {
			e.tellUse(keyOf(o), k.status(o))
			e.describe(keyOf(o), k.status(o))
			e.answers(keyOf(o), k.status(o))
			e.hears(keyOf(o), k.status(o))
		},
	}
}

// act opens the session of a cloud, and then an ear for its notifications.
func (k *cloudKind[T]) act(ctx context.Context, e *Engine, sc *step.Scope[T]) *outcome.Outcome {
	o, spec := sc.Owner(), k.spec(sc.Owner())
	admits, err := metav1.LabelSelectorAsSelector(k.selector(o))
	if err != nil {
		return outcome.Refuse("InvalidSelector", "spec.namespaceSelector selects nothing: %v; correct it.", err)
	}
	guard, err := fetch.NewGuard(k.sources(o))
	if err != nil {
		return outcome.Refuse("InvalidImageSources", "In spec.imageSources %v. Correct it.", err)
	}
	out := e.connect(ctx, o, spec, sc.Content(refSecret), terms{period: spec.SyncPeriod.Duration,
		everywhere: spec.AllProjects, kinds: spec.Kinds, admits: admits, sources: k.sources(o), guard: guard,
		largest: int64(spec.Limits.ImageGiB) << 30})
	key := keyOf(o)
	if cl := e.clouds.get(key); cl != nil && out == nil {
		e.listen(cl, spec.Notifications, sc.Content(refBus), func() { k.bell.wake(key) })
	}
	return out
}

// secretKey is in the namespace of the object when it has one.
func secretKey(o owner.Object, s openstackv1.CloudSecret) types.NamespacedName {
	return types.NamespacedName{Namespace: cmp.Or(o.GetNamespace(), s.Namespace), Name: s.Name}
}

func keyOf(o owner.Object) cloudKey {
	return cloudKey{Namespace: o.GetNamespace(), Name: o.GetName()}
}

// connect opens the session of a cloud. The pool gives the same session for the same input.
func (e *Engine) connect(ctx context.Context, o owner.Object, spec *openstackv1.CloudSpec, content map[string][]byte,
	t terms) *outcome.Outcome {
	if len(content[keyClouds]) == 0 {
		return outcome.Refuse("InvalidSecret", "Secret %s has no key %s. Put the clouds.yaml of the cloud there.",
			spec.SecretRef.Name, keyClouds)
	}
	door, err := e.open(ctx, string(o.GetUID()), ConfigOf(spec, content))
	if err != nil {
		return failed(err)
	}
	e.clouds.set(keyOf(o), door, t)
	if cl := e.clouds.get(keyOf(o)); cl != nil {
		return failed(cl.trouble(ctx))
	}
	return nil
}

// guard keeps a cloud, with its session, until no object uses it: their resources could not be deleted any more.
func (e *Engine) guard(key cloudKey) string {
	if kinds := e.hides(func(*d.Kind) bool { return true }); kinds != "" {
		return "Waits until the operator may list resources that could use the cloud: " + kinds +
			". Give it the right, as the roles of its chart do."
	}
	if by := e.users.named(key); by != "" {
		return "Waits until these objects, which are in the cloud, are deleted: " + by +
			". Delete them, or give them up by " +
			"the annotation kit.stackwright.dev/abandon: resource."
	}
	return ""
}

// disconnect lets a cloud go that nobody uses.
func (e *Engine) disconnect(o owner.Object) *outcome.Outcome {
	key := keyOf(o)
	e.clouds.drop(key)
	e.metrics.forget(label(key))
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
