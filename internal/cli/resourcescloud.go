package cli

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
	"sigs.k8s.io/controller-runtime/pkg/client"

	openstackv1 "stackwright.dev/stackwright/api/openstack/v1alpha1"
	"stackwright.dev/stackwright/internal/openstack"
	"stackwright.dev/stackwright/internal/resources"
	d "stackwright.dev/stackwright/internal/resources/descriptor"
)

// openedCloud is a cloud that a session is open to.
type openedCloud struct {
	ref  openstackv1.CloudReference
	spec *openstackv1.CloudSpec
	// home is the namespace of its Secret.
	home string
	door resources.Door
	pool *openstack.Pool
}

// The kinds of clouds.
const (
	kindCloud        = "Cloud"
	kindClusterCloud = "ClusterCloud"
)

// cloudFlag names the cloud of a verb.
func cloudFlag(cmd *cobra.Command) *string {
	return cmd.Flags().String("cloud", "default",
		"Cloud of the namespace, or else ClusterCloud, to look at; Cloud/NAME and ClusterCloud/NAME tell which")
}

func kindFlag(cmd *cobra.Command) *[]string {
	words := cmd.Flags().StringSlice("kind", nil, "kinds to look at; all when empty")
	_ = cmd.RegisterFlagCompletionFunc("kind", cobra.FixedCompletions(kindNames(), cobra.ShellCompDirectiveNoFileComp))
	return words
}

// openCloud logs in to a cloud with the Secret of its object, which the caller has to have the right to read.
func (a *app) openCloud(ctx context.Context, c client.Reader, word string) (*openedCloud, error) {
	cl, err := a.findCloud(ctx, c, word)
	if err != nil {
		return nil, err
	}
	s := &corev1.Secret{}
	err = c.Get(ctx, client.ObjectKey{Namespace: cl.home, Name: cl.spec.SecretRef.Name}, s)
	switch {
	case apierrors.IsForbidden(err):
		return nil, fmt.Errorf("%w; ask for the right to get this Secret: it holds the cloud's credentials", err)
	case err != nil:
		return nil, fmt.Errorf("reading the Secret of %s %s: %w", cl.ref.Kind, cl.ref.Name, err)
	case len(s.Data[cloudsFile]) == 0:
		return nil, fmt.Errorf("the Secret %s/%s has no key %s; put the clouds.yaml of the cloud there", s.Namespace, s.Name,
			cloudsFile)
	}
	cl.pool = openstack.NewPool(openstack.Options{Transport: a.outside})
	cl.door, err = resources.Sessions(cl.pool)(ctx, "stackwright", resources.ConfigOf(cl.spec, s.Data))
	if err != nil {
		cl.pool.Close()
		return nil, ofCloud("opening "+cl.ref.Kind+" "+cl.ref.Name, err)
	}
	return cl, nil
}

// ofCloud is an error of a cloud. What it wraps is cut off: a cloud that cannot be reached is no cluster that cannot.
func ofCloud(doing string, err error) error { return errors.New(doing + ": " + err.Error()) }

// findCloud finds a cloud as objects of the namespace do.
func (a *app) findCloud(ctx context.Context, c client.Reader, word string) (*openedCloud, error) {
	kind, name, said := strings.Cut(word, "/")
	if !said {
		kind, name = "", word
	}
	if kind != "" && kind != kindCloud && kind != kindClusterCloud {
		return nil, usage(fmt.Errorf("--cloud %s is no cloud; say Cloud/NAME or ClusterCloud/NAME", word))
	}
	if kind != kindClusterCloud {
		own := &openstackv1.Cloud{}
		err := c.Get(ctx, client.ObjectKey{Namespace: a.ns(), Name: name}, own)
		if err == nil {
			return &openedCloud{ref: openstackv1.CloudReference{Kind: kindCloud, Name: name}, spec: &own.Spec,
				home: own.Namespace}, nil
		}
		if kind == kindCloud || !apierrors.IsNotFound(err) {
			return nil, noCloud(err, fmt.Sprintf("namespace %s has no Cloud %s", a.ns(), name))
		}
	}
	shared := &openstackv1.ClusterCloud{}
	if err := c.Get(ctx, client.ObjectKey{Name: name}, shared); err != nil {
		return nil, noCloud(err, fmt.Sprintf("there is no Cloud %s in namespace %s and no ClusterCloud of that name", name,
			a.ns()))
	}
	cl := &openedCloud{ref: openstackv1.CloudReference{Kind: kindClusterCloud, Name: name}, spec: &shared.Spec.CloudSpec,
		home: shared.Spec.SecretRef.Namespace}
	return cl, a.admitted(ctx, c, shared)
}

func noCloud(err error, what string) error {
	switch {
	case meta.IsNoMatchError(err):
		return errors.New("the cluster does not know clouds; install the operators with `stackwright up`")
	case apierrors.IsNotFound(err):
		return errors.New(what + "; make one, or name another with --cloud and -n")
	}
	return fmt.Errorf("reading the cloud: %w", err)
}

// admitted refuses a cloud that is not for the namespace: its objects would wait for ever.
func (a *app) admitted(ctx context.Context, c client.Reader, cl *openstackv1.ClusterCloud) error {
	ns := &corev1.Namespace{}
	if err := c.Get(ctx, client.ObjectKey{Name: a.ns()}, ns); err != nil {
		return fmt.Errorf("reading namespace %s, which says whether the cloud is for it: %w", a.ns(), err)
	}
	s, err := metav1.LabelSelectorAsSelector(&cl.Spec.NamespaceSelector)
	if err != nil {
		return fmt.Errorf("reading spec.namespaceSelector of ClusterCloud %s: %w", cl.Name, err)
	}
	if !s.Matches(labels.Set(ns.Labels)) {
		return fmt.Errorf("ClusterCloud %s is not for namespace %s: its spec.namespaceSelector is %s; label the namespace, "+
			"or name another with -n", cl.Name, a.ns(), s)
	}
	return nil
}

// allowed are the kinds that may be used with the cloud. One that was asked for and may not is refused.
func (cl *openedCloud) allowed(list []*d.Kind, asked bool) ([]*d.Kind, error) {
	if len(cl.spec.Kinds) == 0 {
		return list, nil
	}
	var out []*d.Kind
	for _, k := range list {
		switch {
		case slices.Contains(cl.spec.Kinds, k.Name):
			out = append(out, k)
		case asked:
			return nil, fmt.Errorf("%s %s is not for objects of kind %s; its spec.kinds has %s", cl.ref.Kind, cl.ref.Name,
				k.Name, strings.Join(cl.spec.Kinds, ", "))
		}
	}
	return out, nil
}
