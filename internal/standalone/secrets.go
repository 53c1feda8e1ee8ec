package standalone

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"maps"
	"os"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/runtime/schema"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"stackwright.dev/stackwright/internal/operator"
)

// Command makes the Secrets of a service once and ends. It is what a chart runs before it changes anything.
func Command(ctx context.Context, args []string) error {
	flags := flag.NewFlagSet("secrets", flag.ContinueOnError)
	file := flags.String("object", "", "file with the object of the service, in JSON")
	revision := flags.String("revision", "", "end of the name of the configuration's Secret")
	if err := flags.Parse(args); err != nil {
		return fmt.Errorf("reading the flags: %w", err)
	}
	if *file == "" || *revision == "" {
		return errors.New("give --object and --revision")
	}
	data, err := os.ReadFile(*file)
	if err != nil {
		return fmt.Errorf("reading the object: %w", err)
	}
	cfg, err := ctrl.GetConfig()
	if err != nil {
		return fmt.Errorf("finding the cluster: %w; run in a pod or give --kubeconfig", err)
	}
	c, err := client.New(cfg, client.Options{Scheme: operator.Scheme()})
	if err != nil {
		return fmt.Errorf("connecting to the cluster: %w", err)
	}
	return Keep(ctx, c, data, *revision, os.Stdout)
}

// Keep makes the Secrets that the definition of an object's kind makes, and keeps of those that are there what is good.
// The configuration that never changes is named by revision: its own name has a digest of Secrets, which no chart
// knows. What was done is told to out, by name.
func Keep(ctx context.Context, c client.Client, data []byte, revision string, out io.Writer) error {
	o, err := objectOf(data)
	if err != nil {
		return err
	}
	cluster := &careful{client: c, seen: map[string]*corev1.Secret{}}
	result, err := play(ctx, o, cluster)
	// What could not be read is not what is not there: nothing may be made anew in its place.
	if cluster.err != nil {
		return cluster.err
	}
	if len(result.Notes) > 0 {
		slices.Sort(result.Notes)
		return errors.New(strings.Join(slices.Compact(result.Notes), "; "))
	}
	if err != nil {
		return err
	}
	hash := hashOf(result)
	for _, m := range result.Made {
		s, ok := m.Object.(*corev1.Secret)
		if !ok {
			continue
		}
		if s = s.DeepCopy(); revisionOf(s) {
			s.Name = strings.TrimSuffix(s.Name, hash) + revision
		}
		did, err := cluster.write(ctx, s)
		if err != nil {
			return err
		}
		fmt.Fprintf(out, "%s Secret %s\n", did, s.Name)
	}
	return nil
}

// careful reads Secrets and ConfigMaps, and remembers when it could not. Nothing else is asked for: other objects are
// those of operators.
type careful struct {
	client client.Client
	seen   map[string]*corev1.Secret
	err    error
}

// Get reads a Secret or a ConfigMap.
func (c *careful) Get(ctx context.Context, key client.ObjectKey, into client.Object, o ...client.GetOption) error {
	switch into.(type) {
	case *corev1.Secret, *corev1.ConfigMap:
	default:
		return apierrors.NewNotFound(schema.GroupResource{}, key.Name)
	}
	err := c.client.Get(ctx, key, into, o...)
	if err != nil && !apierrors.IsNotFound(err) {
		c.err = errors.Join(c.err, fmt.Errorf("reading %s: %w", key.Name, err))
	}
	if s, ok := into.(*corev1.Secret); ok && err == nil {
		c.seen[s.Name] = s.DeepCopy()
	}
	return err
}

// List lists nothing.
func (c *careful) List(context.Context, client.ObjectList, ...client.ListOption) error { return nil }

// write makes a Secret what it should be. It changes only what it has seen, so that of two that run at a time one fails.
func (c *careful) write(ctx context.Context, s *corev1.Secret) (did string, err error) {
	have := c.seen[s.Name]
	if have == nil {
		have = &corev1.Secret{}
		if err := c.Get(ctx, client.ObjectKeyFromObject(s), have); apierrors.IsNotFound(err) {
			if err := c.client.Create(ctx, s); err != nil {
				return "", fmt.Errorf("making Secret %s: %w", s.Name, err)
			}
			return "made", nil
		} else if err != nil {
			return "", fmt.Errorf("reading Secret %s: %w", s.Name, err)
		}
	}
	for _, owner := range have.OwnerReferences {
		return "", fmt.Errorf("Secret %s belongs to %s %s, which an operator looks after; take another name", s.Name,
			owner.Kind, owner.Name)
	}
	if maps.EqualFunc(have.Data, s.Data, slices.Equal) {
		return "left", nil
	}
	if have.Immutable != nil && *have.Immutable {
		return "", fmt.Errorf("the configuration in Secret %s is another one now, because of Secrets or ConfigMaps that it "+
			"is made of; set the value standalone.revision to a text that it did not have yet", s.Name)
	}
	have.Data = s.Data
	if err := c.client.Update(ctx, have); err != nil {
		return "", fmt.Errorf("changing Secret %s: %w", s.Name, err)
	}
	return "changed", nil
}
