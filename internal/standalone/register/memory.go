package register

import (
	"context"
	"crypto/sha1"
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"strings"
	"time"

	"github.com/go-logr/logr"
	corev1 "k8s.io/api/core/v1"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	apimeta "k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/manager"
	metricsserver "sigs.k8s.io/controller-runtime/pkg/metrics/server"
	"sigs.k8s.io/yaml"

	"stackwright.dev/kit"
	"stackwright.dev/kit/condition"
	"stackwright.dev/kit/kittest/apiserver"
	"stackwright.dev/kit/owner"

	openstackv1 "stackwright.dev/stackwright/api/openstack/v1alpha1"
	"stackwright.dev/stackwright/charts"
	"stackwright.dev/stackwright/internal/openstack"
	"stackwright.dev/stackwright/internal/operator"
	"stackwright.dev/stackwright/internal/resources"
	"stackwright.dev/stackwright/internal/resources/kinds"
	"stackwright.dev/stackwright/internal/standalone"
)

// glimpse is the time between two looks at how far the controllers are.
const glimpse = 100 * time.Millisecond

// run lets the controllers of OpenStack resources work on a cluster in memory until all objects are ready.
func (r *registration) run(ctx context.Context, options Options) error {
	server, err := r.server()
	if err != nil {
		return err
	}
	c, err := client.New(server.Config(), client.Options{Scheme: operator.Scheme()})
	if err != nil {
		return fmt.Errorf("connecting to the cluster in memory: %w", err)
	}
	if err := r.fill(ctx, server, c); err != nil {
		return err
	}
	engine := resources.New(kinds.Served(), resources.Sessions(openstack.NewPool(
		openstack.Options{Transport: options.Transport})))
	engine.Lacks(func(kind string) bool { return slices.Contains(r.kinds(), kind) })
	controllers, err := engine.Controllers(operator.Scheme())
	if err != nil {
		return fmt.Errorf("making the controllers: %w", err)
	}
	m, err := kit.NewManager(server.Config(), manager.Options{Scheme: operator.Scheme(), Logger: logr.Discard(),
		Metrics: metricsserver.Options{BindAddress: "0"}}, controllers...)
	if err != nil {
		return fmt.Errorf("making the manager: %w", err)
	}
	running, stop := context.WithCancel(ctx)
	ended := make(chan error, 1)
	go func() { ended <- m.Start(running) }()
	err = r.await(ctx, c, options)
	stop()
	return errors.Join(err, <-ended)
}

// kinds are those of the objects.
func (r *registration) kinds() []string {
	var out []string
	for _, o := range r.Objects {
		out = append(out, standalone.KindOf(o))
	}
	slices.Sort(out)
	return slices.Compact(out)
}

// server is an API server in memory with the kinds of the objects.
func (r *registration) server() (*apiserver.Server, error) {
	plurals := []string{"clouds", "clusterclouds", "referencegrants"}
	for _, k := range kinds.All() {
		if slices.Contains(r.kinds(), k.Name) {
			plurals = append(plurals, k.Plural)
		}
	}
	var all []*apiextensionsv1.CustomResourceDefinition
	for _, plural := range plurals {
		text, err := fs.ReadFile(charts.Operator,
			"stackwright-operator/crds/"+openstackv1.GroupVersion.Group+"_"+plural+".yaml")
		if err != nil {
			return nil, fmt.Errorf("reading the definition of %s: %w", plural, err)
		}
		crd := &apiextensionsv1.CustomResourceDefinition{}
		if err := yaml.Unmarshal(text, crd); err != nil {
			return nil, fmt.Errorf("reading the definition of %s: %w", plural, err)
		}
		all = append(all, crd)
	}
	s, err := apiserver.New(all...)
	if err != nil {
		return nil, fmt.Errorf("making a cluster in memory: %w", err)
	}
	return s, nil
}

// fill makes the objects in the cluster in memory.
func (r *registration) fill(ctx context.Context, server *apiserver.Server, c client.Client) error {
	first := []client.Object{&corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: r.Namespace}}, r.Cloud}
	for _, s := range r.Secrets {
		first = append(first, &corev1.Secret{ObjectMeta: metav1.ObjectMeta{Namespace: s.Namespace, Name: s.Name},
			Data: s.Data})
	}
	for _, o := range first {
		if err := c.Create(ctx, o); err != nil {
			return fmt.Errorf("making %s in memory: %w", o.GetName(), err)
		}
	}
	for _, o := range r.Objects {
		if err := r.load(ctx, server, c, o); err != nil {
			return fmt.Errorf("making %s in memory: %w", standalone.NameOf(o), err)
		}
	}
	return nil
}

// load makes an object with a uid of its own making: resources in OpenStack carry what follows from it, by which the
// next run knows that they are its own.
func (r *registration) load(ctx context.Context, server *apiserver.Server, c client.Client,
	o openstackv1.Object) error {
	made, ok := o.DeepCopyObject().(openstackv1.Object)
	if !ok {
		return fmt.Errorf("a %T is no resource", o)
	}
	// The server sets what its definition sets, and says what is wrong.
	if err := c.Create(ctx, made, client.DryRunAll); err != nil {
		return fmt.Errorf("checking it: %w", err)
	}
	tree, err := runtime.DefaultUnstructuredConverter.ToUnstructured(made)
	if err != nil {
		return fmt.Errorf("encoding it: %w", err)
	}
	u := &unstructured.Unstructured{Object: tree}
	u.SetGroupVersionKind(openstackv1.GroupVersion.WithKind(standalone.KindOf(o)))
	u.SetUID(r.uid(o))
	return server.Load(u)
}

// uid is the same in each run.
func (r *registration) uid(o openstackv1.Object) types.UID {
	h := sha1.Sum([]byte("stackwright.dev/standalone/" + r.Namespace + "/" + standalone.NameOf(o)))
	u := h[:16]
	u[6], u[8] = u[6]&0x0f|0x50, u[8]&0x3f|0x80
	return types.UID(fmt.Sprintf("%x-%x-%x-%x-%x", u[:4], u[4:6], u[6:8], u[8:10], u[10:]))
}

// await waits until all objects are ready, or one of them will never be.
func (r *registration) await(ctx context.Context, c client.Client, options Options) error {
	tick := time.NewTicker(glimpse)
	defer tick.Stop()
	told := map[string]bool{}
	for {
		waits, err := r.look(c, told, options)
		if err != nil || len(waits) == 0 {
			return err
		}
		select {
		case <-ctx.Done():
			return fmt.Errorf("waiting until everything is registered: %w: %s", ctx.Err(), strings.Join(waits, "; "))
		case <-tick.C:
		}
	}
}

// look tells what objects wait for. While the Cloud is not ready all others wait for it.
func (r *registration) look(c client.Client, told map[string]bool, options Options) (waits []string, err error) {
	for _, o := range append([]owner.Object{r.Cloud}, owners(r.Objects)...) {
		name := standalone.NameOf(o)
		why, err := state(c, o)
		switch {
		case err != nil:
			return nil, err
		case why != "":
			waits = append(waits, name+": "+why)
		case !told[name] && o != owner.Object(r.Cloud):
			told[name] = true
			fmt.Fprintf(options.Out, "registered %s\n", name)
		}
		if why != "" && o == owner.Object(r.Cloud) {
			return waits, nil
		}
	}
	return waits, nil
}

func owners(objects []openstackv1.Object) []owner.Object {
	out := make([]owner.Object, 0, len(objects))
	for _, o := range objects {
		out = append(out, o)
	}
	return out
}

// state tells why an object is not ready, nothing when it is, and an error when it will never be.
func state(c client.Client, o owner.Object) (waits string, err error) {
	now, ok := o.DeepCopyObject().(owner.Object)
	if !ok {
		return "", fmt.Errorf("a %T has no status", o)
	}
	// Not by the caller's context: what it waited for is to be told when that ends.
	if err := c.Get(context.Background(), client.ObjectKeyFromObject(o), now); err != nil {
		return "", fmt.Errorf("looking at %s: %w", standalone.NameOf(o), err)
	}
	all := now.KitStatus().Conditions
	if stalled := apimeta.FindStatusCondition(all, condition.Stalled); stalled != nil &&
		stalled.Status == condition.True {
		return "", fmt.Errorf("registering %s: %s", standalone.NameOf(o), stalled.Message)
	}
	switch ready := apimeta.FindStatusCondition(all, condition.Ready); {
	case ready == nil:
		return "nobody has looked at it yet", nil
	case ready.Status != condition.True:
		return ready.Message, nil
	}
	return "", nil
}
