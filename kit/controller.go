package kit

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"time"

	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/util/workqueue"
	"sigs.k8s.io/controller-runtime/pkg/controller"
	"sigs.k8s.io/controller-runtime/pkg/controller/priorityqueue"
	"sigs.k8s.io/controller-runtime/pkg/manager"
	reconciler "sigs.k8s.io/controller-runtime/pkg/reconcile"
	"sigs.k8s.io/controller-runtime/pkg/source"

	"stackwright.dev/kit/backoff"
	"stackwright.dev/kit/cache"
	"stackwright.dev/kit/obs"
	"stackwright.dev/kit/owner"
	"stackwright.dev/kit/reconcile"
)

// Controller is a checked Definition of any owner type.
type Controller interface {
	// Name of the definition.
	Name() string
	// Plan describes the graph, for documents and tools.
	Plan() Plan
	declare(*cache.Store)
	setup(manager.Manager, *cache.Store, together) error
}

// together is what the controllers of a manager share.
type together struct {
	queues queues
	roll   *roll
}

// queues makes the queue of a controller; nil for the usual one.
type queues func(controller string, l workqueue.TypedRateLimiter[reconciler.Request],
) workqueue.TypedRateLimitingInterface[reconciler.Request]

// New checks a definition against a scheme. The error joins everything that is wrong with it.
func New[T owner.Object](d Definition[T], scheme *runtime.Scheme) (Controller, error) {
	p, err := reconcile.NewPlan(reconcile.Config[T]{
		Name: d.Name, New: d.New, Refs: d.Refs, Steps: d.Steps, Report: d.Report, Guard: d.Guard, Turn: d.Turn,
		Notice: d.Notice, Inherits: d.Inherits, Estate: d.Estate,
		Parallel: cmp.Or(d.Options.Parallel, 4), Deadline: cmp.Or(d.Options.Deadline, 10*time.Minute),
		Components: d.Options.Components, Pods: d.Options.Pods,
	}, scheme)
	if err != nil {
		return nil, err
	}
	return &typed[T]{plan: p, workers: cmp.Or(d.Options.Workers, 4), wake: d.Wake, retry: d.Retry}, nil
}

type typed[T owner.Object] struct {
	plan    *reconcile.Plan[T]
	workers int
	wake    outside
	retry   outside
}

// outside tells of owners that an event outside of Kubernetes concerns.
type outside func(context.Context, func(types.NamespacedName))

func (c *typed[T]) Name() string { return c.plan.Name }

func (c *typed[T]) declare(s *cache.Store) { c.plan.Declare(s) }

func (c *typed[T]) setup(mgr manager.Manager, store *cache.Store, t together) error {
	l := reconcile.NewLoop(c.plan)
	l.Scheme, l.Store, l.Client, l.Live = mgr.GetScheme(), store, mgr.GetClient(), mgr.GetAPIReader()
	l.Recorder = mgr.GetEventRecorder(c.plan.Name)
	l.Backoff = backoff.New(time.Now, rand.Float64)
	l.Observe = obs.Default
	obs.Default.Watch(c.plan.Name, l.State)
	ctl, err := controller.New(c.plan.Name, mgr, controller.Options{Reconciler: l, MaxConcurrentReconciles: c.workers,
		SkipNameValidation: new(true), NewQueue: t.queues})
	if err != nil {
		return fmt.Errorf("making controller %s: %w", c.plan.Name, err)
	}
	for _, o := range []source.Source{c.wake.source(l.Told), c.retry.source(l.Hurry)} {
		if err := ctl.Watch(o); err != nil {
			return fmt.Errorf("listening to the outside for controller %s: %w", c.plan.Name, err)
		}
	}
	return c.plan.Kinds(store, func(gk schema.GroupKind) error {
		proto, err := store.Prototype(gk)
		if err != nil {
			return err
		}
		src := source.Kind(mgr.GetCache(), proto, l.Handler(gk))
		owns := gk == c.plan.Kind.GroupKind()
		switch {
		case !store.Watched(gk):
			if owns {
				t.roll.call()
			}
			l := mgr.GetLogger().WithValues("controller", c.plan.Name, "kind", gk.String())
			return ctl.Watch(late(src, l, func(ctx context.Context) error {
				return store.ConnectKind(ctx, mgr.GetCache(), gk)
			}))
		case owns:
			return ctl.Watch(present{src, t.roll})
		}
		return ctl.Watch(src)
	})
}

// source makes runs out of what is told, after first.
func (o outside) source(first func(types.NamespacedName)) source.Source {
	return source.Func(func(ctx context.Context, q workqueue.TypedRateLimitingInterface[reconciler.Request]) error {
		if o != nil {
			go o(ctx, func(key types.NamespacedName) {
				first(key)
				q.Add(reconciler.Request{NamespacedName: key})
			})
		}
		return nil
	})
}

// NewManager makes a manager that runs controllers on one shared cache: only the kinds they declare, as records, with
// one view of our own writes. Cache settings in o are kept where they do not contradict that.
func NewManager(cfg *rest.Config, o manager.Options, controllers ...Controller) (manager.Manager, error) {
	if o.Scheme == nil {
		return nil, errors.New("a manager needs a scheme; set Options.Scheme")
	}
	var names []string
	for _, c := range controllers {
		names = append(names, c.Name())
	}
	store := cache.NewStore(o.Scheme, names)
	for _, c := range controllers {
		c.declare(store)
	}
	var err error
	if o.Cache, err = store.Options(o.Cache); err != nil {
		return nil, err
	}
	made := lenient(&o)
	mgr, err := manager.New(cfg, o)
	if err != nil {
		return nil, fmt.Errorf("making the manager: %w", err)
	}
	made()
	if err := store.Connect(context.Background(), mgr.GetCache()); err != nil {
		return nil, err
	}
	shared := together{queuesFor(o), newRoll(len(controllers))}
	for _, c := range controllers {
		if err := c.setup(mgr, store, shared); err != nil {
			return nil, err
		}
	}
	return mgr, nil
}

// queuesFor makes queues that do not measure themselves, for which they wake twice a second, where no metrics are
// served: tests let days go by.
func queuesFor(o manager.Options) queues {
	if o.Metrics.BindAddress != "0" {
		return nil
	}
	return func(_ string, l workqueue.TypedRateLimiter[reconciler.Request],
	) workqueue.TypedRateLimitingInterface[reconciler.Request] {
		return priorityqueue.New("", func(p *priorityqueue.Opts[reconciler.Request]) { p.RateLimiter = l })
	}
}
