package cli

import (
	"context"
	"fmt"
	"strings"

	"github.com/spf13/cobra"
	authorizationv1 "k8s.io/api/authorization/v1"
	corev1 "k8s.io/api/core/v1"
	storagev1 "k8s.io/api/storage/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	"k8s.io/apimachinery/pkg/util/version"
	"k8s.io/client-go/discovery"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// The states of a check.
const (
	checkOK      = "ok"
	checkWarning = "warning"
	checkFailed  = "failed"
)

// check is one thing that was looked at before an installation.
type check struct {
	Name    string `json:"name"`
	State   string `json:"state"`
	Message string `json:"message"`
	// Do is what would make it right.
	Do string `json:"do,omitempty"`
}

func (a *app) preflight() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "preflight",
		Short: "Check whether a cluster, or this machine, can carry an OpenStack",
		Long: `Check whether a cluster can carry an OpenStack: its version, your rights, nodes and storage.
Without a cluster it checks whether this machine can run one. The exit code is 3 when a check fails.`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			var list []check
			c, err := a.client()
			switch {
			case err == nil:
				list = a.clusterChecks(cmd.Context(), c)
			case a.kubeconfig != "":
				return err
			default:
				list = machineChecks()
			}
			if err := a.print(list, func() { a.showChecks(list) }); err != nil {
				return err
			}
			for _, r := range list {
				if r.State == checkFailed {
					return no()
				}
			}
			return nil
		},
	}
	a.outputFlag(cmd)
	return cmd
}

func (a *app) showChecks(list []check) {
	rows := [][]string{}
	for _, r := range list {
		text := r.Message
		if r.State != checkOK && r.Do != "" {
			text += "; " + r.Do
		}
		rows = append(rows, []string{r.State, r.Name, text})
	}
	a.table(rows)
}

// oldest is the oldest Kubernetes that is supported.
const oldest = "1.34.0"

func (a *app) clusterChecks(ctx context.Context, c client.Client) []check {
	list := []check{a.checkVersion()}
	if list[0].State == checkFailed {
		return list
	}
	list = append(list, checkRights(ctx, c)...)
	return append(list, checkNodes(ctx, c), checkStorage(ctx, c))
}

func (a *app) checkVersion() check {
	r := check{Name: "kubernetes", State: checkFailed,
		Do: "see that the kubeconfig names the right address and that the cluster runs"}
	cfg, err := a.config()
	if err != nil {
		r.Message = err.Error()
		return r
	}
	d, err := discovery.NewDiscoveryClientForConfig(cfg)
	if err != nil {
		r.Message = err.Error()
		return r
	}
	info, err := d.ServerVersion()
	if err != nil {
		r.Message = err.Error()
		return r
	}
	v, err := version.ParseGeneric(info.GitVersion)
	if err != nil {
		r.Message, r.State = "version "+info.GitVersion+" cannot be read", checkWarning
		return r
	}
	r.Message = info.GitVersion
	if v.AtLeast(version.MustParseGeneric(oldest)) {
		r.State, r.Do = checkOK, ""
		return r
	}
	r.Message, r.Do = info.GitVersion+" is too old", "upgrade the cluster to "+oldest+" or later"
	return r
}

// checkRights asks whether you may do what an installation needs, and nothing more.
func checkRights(ctx context.Context, c client.Client) []check {
	wants := []authorizationv1.ResourceAttributes{
		{Group: "apiextensions.k8s.io", Resource: "customresourcedefinitions", Verb: "patch"},
		{Group: "rbac.authorization.k8s.io", Resource: "clusterroles", Verb: "create"},
		{Group: "rbac.authorization.k8s.io", Resource: "clusterrolebindings", Verb: "create"},
		{Group: "admissionregistration.k8s.io", Resource: "validatingadmissionpolicies", Verb: "create"},
		{Resource: "namespaces", Verb: "create"},
		{Group: "apps", Resource: "deployments", Verb: "create", Namespace: operatorNamespace},
	}
	var missing []string
	for _, w := range wants {
		review := &authorizationv1.SelfSubjectAccessReview{
			Spec: authorizationv1.SelfSubjectAccessReviewSpec{ResourceAttributes: &w}}
		if err := c.Create(ctx, review); err != nil {
			return []check{{Name: "rights", State: checkFailed, Message: err.Error(),
				Do: "ask as somebody whom the cluster knows"}}
		}
		if !review.Status.Allowed {
			missing = append(missing, w.Verb+" "+w.Resource)
		}
	}
	if len(missing) > 0 {
		return []check{{Name: "rights", State: checkFailed, Message: "you may not " + strings.Join(missing, ", "),
			Do: "install as an administrator of the cluster"}}
	}
	return []check{{Name: "rights", State: checkOK, Message: "you may install operators"}}
}

func checkNodes(ctx context.Context, c client.Client) check {
	r := check{Name: "nodes", State: checkFailed}
	var list corev1.NodeList
	if err := c.List(ctx, &list); err != nil {
		r.State, r.Message, r.Do = checkWarning, err.Error(), "ask somebody who may list nodes whether there is room"
		return r
	}
	ready, memory := 0, resource.Quantity{}
	for i := range list.Items {
		n := &list.Items[i]
		if nodeReady(n) && !n.Spec.Unschedulable {
			ready++
			memory.Add(n.Status.Allocatable[corev1.ResourceMemory])
		}
	}
	r.Message = fmt.Sprintf("%d of %d ready, %d MiB of memory", ready, len(list.Items), memory.Value()>>20)
	switch {
	case ready == 0:
		r.Do = "bring a node up: kubectl describe nodes"
	case memory.Cmp(resource.MustParse("2Gi")) < 0:
		r.Do = "add memory: the smallest control plane needs 2 GiB"
	case ready < 3:
		r.State, r.Do = checkWarning, "sizes other than dev want 3 nodes to survive the loss of one"
	default:
		r.State = checkOK
	}
	return r
}

func nodeReady(n *corev1.Node) bool {
	for _, c := range n.Status.Conditions {
		if c.Type == corev1.NodeReady {
			return c.Status == corev1.ConditionTrue
		}
	}
	return false
}

func checkStorage(ctx context.Context, c client.Client) check {
	r := check{Name: "storage", State: checkFailed}
	var list storagev1.StorageClassList
	if err := c.List(ctx, &list); err != nil {
		r.State, r.Message, r.Do = checkWarning, err.Error(), "ask somebody who may list storage classes whether one is "+
			"the default"
		return r
	}
	for i := range list.Items {
		if list.Items[i].Annotations["storageclass.kubernetes.io/is-default-class"] == "true" {
			r.State, r.Message = checkOK, "default class is "+list.Items[i].Name
			return r
		}
	}
	if len(list.Items) > 0 {
		r.State, r.Message = checkWarning, "no storage class is the default"
		r.Do = "set spec.storageClass of the control plane, or make one the default"
		return r
	}
	r.Message, r.Do = "there is no storage class", "install a provisioner of persistent volumes"
	return r
}
