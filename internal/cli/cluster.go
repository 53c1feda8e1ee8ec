package cli

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"strings"

	"github.com/spf13/cobra"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/cli-runtime/pkg/genericclioptions"
	"k8s.io/client-go/rest"
	"sigs.k8s.io/controller-runtime/pkg/client"

	controlplanev1 "stackwright.dev/stackwright/api/controlplane/v1alpha1"
	"stackwright.dev/stackwright/internal/operator"
)

const (
	defaultNamespace    = "openstack"
	defaultControlPlane = "openstack"
	operatorNamespace   = "stackwright-system"
	operatorRelease     = "stackwright-operator"
)

// noCluster is the error when no cluster is configured anywhere.
type noCluster struct{ error }

// getter reaches the cluster that the flags, the environment or the last up name.
func (a *app) getter() *genericclioptions.ConfigFlags {
	f := genericclioptions.NewConfigFlags(true)
	named := a.context
	if file := a.kubeconfigFile(); file != "" {
		f.KubeConfig = &file
		if a.kubeconfig == "" {
			named = cmp.Or(named, lastUp().Context)
		}
	}
	if named != "" {
		f.Context = &named
	}
	f.Namespace = new(a.ns())
	if a.patient {
		f.WrapConfigFn = forgive
	}
	return f
}

// kubeconfigFile returns the file to use, or empty to follow kubectl's rules. What a person says wins over what the
// last up left behind, and that over the default file.
func (a *app) kubeconfigFile() string {
	switch {
	case a.kubeconfig != "":
		return a.kubeconfig
	case os.Getenv("KUBECONFIG") != "":
		return ""
	}
	return lastUp().Kubeconfig
}

func (a *app) ns() string { return cmp.Or(a.namespace, lastUp().Namespace, defaultNamespace) }

func (a *app) config() (*rest.Config, error) {
	if f := a.kubeconfig; f != "" {
		if _, err := os.Stat(f); err != nil {
			return nil, noCluster{fmt.Errorf("reading the kubeconfig: %w", err)}
		}
	}
	getter := a.getter()
	raw, err := getter.ToRawKubeConfigLoader().RawConfig()
	if err == nil && len(raw.Clusters) == 0 && os.Getenv("KUBERNETES_SERVICE_HOST") == "" {
		// kubectl would take a port of this machine for a cluster.
		return nil, noCluster{errors.New("no cluster is configured; start one with `stackwright up`, or give --kubeconfig")}
	}
	cfg, err := getter.ToRESTConfig()
	if err != nil {
		return nil, noCluster{fmt.Errorf("reading the kubeconfig: %w", err)}
	}
	// The server limits its clients itself; a limit here would only make commands slow.
	cfg.QPS = -1
	return cfg, nil
}

func (a *app) client() (client.WithWatch, error) {
	cfg, err := a.config()
	if err != nil {
		return nil, err
	}
	scheme := operator.NewScheme()
	if err := apiextensionsv1.AddToScheme(scheme); err != nil {
		return nil, fmt.Errorf("preparing the client: %w", err)
	}
	c, err := client.NewWithWatch(cfg, client.Options{Scheme: scheme})
	if err != nil {
		return nil, fmt.Errorf("connecting to the cluster: %w", err)
	}
	return c, nil
}

// checkNamed holds up and down, which make and take away whole clusters, to what a flag names: $KUBECONFIG and the
// contexts of kubectl's file change behind one's back.
func (a *app) checkNamed(cmd *cobra.Command) error {
	given := cmd.Flags().Changed
	switch env := os.Getenv("KUBECONFIG"); {
	case a.kubeconfig != "":
	case given("kubeconfig"):
		return usage(errors.New("--kubeconfig is empty; give the file with the cluster to use"))
	case a.context != "":
		return usage(fmt.Errorf("--context %s alone names no cluster for %s; give --kubeconfig, too", a.context,
			cmd.Name()))
	case env != "" && !given("devcluster"):
		fmt.Fprintf(a.err, "KUBECONFIG is %s, which %s does not look at; to work on its cluster give --kubeconfig\n",
			env, cmd.Name())
	}
	return nil
}

// noControlPlane is the error where there is none.
type noControlPlane struct{ error }

func (n noControlPlane) Unwrap() error { return n.error }

// unled tells whether an error says that there is no control plane where nobody has named one: what stands alone can be
// looked at instead.
func (a *app) unled(err error) bool {
	_, none := errors.AsType[noControlPlane](err)
	return none && a.controlplane == ""
}

// find returns the control plane that the flags name, or the only one of the namespace.
func (a *app) find(ctx context.Context, c client.Reader) (*controlplanev1.OpenStackControlPlane, error) {
	var list controlplanev1.OpenStackControlPlaneList
	if err := c.List(ctx, &list, client.InNamespace(a.ns())); err != nil {
		if meta.IsNoMatchError(err) {
			return nil, noControlPlane{errors.New(
				"the cluster does not know control planes; install the operators with `stackwright up`")}
		}
		return nil, fmt.Errorf("listing control planes in namespace %s: %w", a.ns(), err)
	}
	var names []string
	for i := range list.Items {
		names = append(names, list.Items[i].Name)
		if list.Items[i].Name == a.controlplane || a.controlplane == "" && len(list.Items) == 1 {
			return &list.Items[i], nil
		}
	}
	switch {
	case len(names) == 0:
		return nil, noControlPlane{fmt.Errorf(
			"namespace %s has no control plane; make one with `stackwright up`, or name the namespace with -n", a.ns())}
	case a.controlplane == "":
		return nil, usage(fmt.Errorf("namespace %s has several control planes; choose with -c: %s", a.ns(),
			strings.Join(names, ", ")))
	}
	return nil, fmt.Errorf("namespace %s has no control plane %s; it has %s", a.ns(), a.controlplane,
		strings.Join(names, ", "))
}
