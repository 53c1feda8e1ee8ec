package operator

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	authorizationv1 "k8s.io/api/authorization/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/rest"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"stackwright.dev/kit"
)

// rights knows which resources the operator may not list. One such informer holds up all controllers, since a manager
// starts none before all lists are there: those that need it are left out, so that the others run.
type rights struct {
	// may asks whether a resource may be listed.
	may   func(context.Context, schema.GroupResource) (bool, error)
	gauge *prometheus.GaugeVec
	// missing is what may not be listed, idle are the kinds that nobody looks at for that reason.
	missing []schema.GroupResource
	idle    map[string]bool
}

func newRights(may func(context.Context, schema.GroupResource) (bool, error)) *rights {
	return &rights{may: may, idle: map[string]bool{}, gauge: prometheus.NewGaugeVec(prometheus.GaugeOpts{
		Name: "stackwright_operator_missing_rights",
		Help: "1 for each resource that the operator may not list: controllers that need it do not run.",
	}, []string{"resource"})}
}

// Describe and Collect implement prometheus.Collector.
func (r *rights) Describe(out chan<- *prometheus.Desc) { r.gauge.Describe(out) }

// Collect implements prometheus.Collector.
func (r *rights) Collect(out chan<- prometheus.Metric) { r.gauge.Collect(out) }

// mayList asks the API server about the operator itself, which everybody may do. Who may not even ask goes on: the
// lists will tell.
func mayList(cfg *rest.Config) (func(context.Context, schema.GroupResource) (bool, error), error) {
	cfg = rest.CopyConfig(cfg)
	cfg.QPS, cfg.Burst = 200, 200 // one question for each kind, once
	c, err := client.New(cfg, client.Options{Scheme: Scheme()})
	if err != nil {
		return nil, fmt.Errorf("connecting to the cluster: %w", err)
	}
	return func(ctx context.Context, gr schema.GroupResource) (bool, error) {
		review := &authorizationv1.SelfSubjectAccessReview{Spec: authorizationv1.SelfSubjectAccessReviewSpec{
			ResourceAttributes: attributes(gr)}}
		if err := c.Create(ctx, review); err != nil {
			return true, err
		}
		return review.Status.Allowed, nil
	}, nil
}

func attributes(gr schema.GroupResource) *authorizationv1.ResourceAttributes {
	return &authorizationv1.ResourceAttributes{Verb: "list", Group: gr.Group, Resource: gr.Resource}
}

// needs are the resources that a controller lists before it starts.
func needs(c kit.Controller) (out []schema.GroupResource) {
	for _, rule := range kit.Rules(plural, c) {
		for _, name := range rule.Resources {
			if slices.Contains(rule.Verbs, "watch") {
				out = append(out, schema.GroupResource{Group: rule.APIGroups[0], Resource: name})
			}
		}
	}
	return out
}

// asked is how many questions are under way at a time.
const asked = 8

// allow returns the controllers that can run.
func (r *rights) allow(ctx context.Context, controllers []kit.Controller) []kit.Controller {
	all := map[schema.GroupResource]bool{}
	for _, c := range controllers {
		for _, gr := range needs(c) {
			all[gr] = true
		}
	}
	r.missing = r.denied(ctx, slices.Collect(maps.Keys(all)))
	var out []kit.Controller
	for _, c := range controllers {
		lacks := slices.DeleteFunc(needs(c), func(gr schema.GroupResource) bool { return !slices.Contains(r.missing, gr) })
		if len(lacks) == 0 {
			out = append(out, c)
			continue
		}
		r.idle[c.Plan().Kind.Kind] = true
		ctrl.Log.WithName("operator").Error(errors.New("may not list "+join(lacks)), "a controller does not run; "+
			"give the operator the right, as the roles of its chart do", "controller", c.Name())
	}
	for _, gr := range r.missing {
		r.gauge.WithLabelValues(gr.String()).Set(1)
	}
	return out
}

// denied are those of some resources that may not be listed.
func (r *rights) denied(ctx context.Context, all []schema.GroupResource) (out []schema.GroupResource) {
	var mu sync.Mutex
	var wg sync.WaitGroup
	turn := make(chan struct{}, asked)
	for _, gr := range all {
		turn <- struct{}{}
		wg.Go(func() {
			defer func() { <-turn }()
			if yes, err := r.may(ctx, gr); err != nil || yes {
				return
			}
			mu.Lock()
			defer mu.Unlock()
			out = append(out, gr)
		})
	}
	wg.Wait()
	slices.SortFunc(out, func(a, b schema.GroupResource) int { return strings.Compare(a.String(), b.String()) })
	return out
}

// unseen tells whether nobody looks at objects of a kind of OpenStack resources, which may be there all the same.
func (r *rights) unseen(kind string) bool { return r.idle[kind] }

// rightsAgain is how often it is asked whether a missing right was given.
const rightsAgain = 30 * time.Second

// Start implements manager.Runnable: it ends the process when a right that was missing is there, so that the next one
// runs what was left out.
func (r *rights) Start(ctx context.Context) error {
	tick := time.NewTicker(rightsAgain)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return nil
		case <-tick.C:
		}
		left := r.denied(ctx, r.missing)
		if given := without(r.missing, left); len(given) > 0 && ctx.Err() == nil {
			return fmt.Errorf("the operator may list %s now: it ends, to start with what was left out", join(given))
		}
	}
}

// NeedLeaderElection implements manager.LeaderElectionRunnable: an operator that stands by has left out the same.
func (r *rights) NeedLeaderElection() bool { return false }

func without(all, but []schema.GroupResource) []schema.GroupResource {
	return slices.DeleteFunc(slices.Clone(all), func(gr schema.GroupResource) bool { return slices.Contains(but, gr) })
}

// join names resources for people.
func join(list []schema.GroupResource) string {
	var out []string
	for _, gr := range list {
		out = append(out, gr.String())
	}
	slices.Sort(out)
	return strings.Join(out, ", ")
}
