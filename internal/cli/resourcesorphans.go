package cli

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"stackwright.dev/stackwright/internal/resources"
	d "stackwright.dev/stackwright/internal/resources/descriptor"
	"stackwright.dev/stackwright/internal/resources/intake"
	"stackwright.dev/stackwright/internal/resources/kinds"
)

// orphan is a resource that carries the marker of an object that is not there.
type orphan struct {
	Kind   string `json:"kind"`
	ID     string `json:"id"`
	Name   string `json:"name,omitempty"`
	Marker string `json:"marker"`
	// Cluster whose object made it; empty when it does not tell.
	Cluster string `json:"cluster,omitempty"`
	// Deleted tells that it is gone now, Error why it is not.
	Deleted bool   `json:"deleted,omitempty"`
	Error   string `json:"error,omitempty"`
}

// orphanage is what a search for orphans came to.
type orphanage struct {
	Orphans []orphan `json:"orphans"`
	// Elsewhere is how many more carry the marker of another cluster, or of one that they do not name.
	Elsewhere int `json:"elsewhere,omitempty"`
	// Blind are the kinds whose resources do not show whose they are, Unread those that could not be read, and why.
	Blind  []string `json:"blind,omitempty"`
	Unread []string `json:"unread,omitempty"`
}

// orphanFlags are the flags of the search.
type orphanFlags struct {
	cloud       *string
	kinds       *[]string
	delete, yes *bool
	// all are those of all clusters.
	all *bool
}

func (a *app) resourcesOrphans() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "orphans [ID]...",
		Short: "List resources that carry the marker of an object that is not there",
		Long: `List resources that carry the marker of an object that is not there, in any namespace of the cluster.

That is what is left of objects whose finalizers were taken away by hand, or that were given up by the annotation
kit.stackwright.dev/abandon.

The marker names the cluster, and those of this one are listed. --all-clusters adds what carries the marker of another
cluster, or one that names none, as earlier operators made it: objects of another cluster may keep that. Look twice,
and name the ids, before --delete. The exit code is 3 when there are any.`,
	}
	f := orphanFlags{cloud: cloudFlag(cmd), kinds: kindFlag(cmd)}
	f.delete = cmd.Flags().Bool("delete", false, "delete the orphans, or those whose ids are given; needs --yes")
	f.yes = cmd.Flags().Bool("yes", false, "confirm --delete")
	f.all = cmd.Flags().Bool("all-clusters", false, "list those of other clusters, too, and those that name none")
	cmd.RunE = func(cmd *cobra.Command, ids []string) error { return a.orphans(cmd.Context(), f, ids) }
	a.outputFlag(cmd)
	return cmd
}

func (a *app) orphans(ctx context.Context, f orphanFlags, ids []string) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	list, err := kindsNamed(*f.kinds)
	if err != nil {
		return err
	}
	if *f.yes && !*f.delete {
		return usage(errors.New("--yes confirms --delete; give both or none"))
	}
	c, err := a.client()
	if err != nil {
		return err
	}
	cl, err := a.openCloud(ctx, c, *f.cloud)
	if err != nil {
		return err
	}
	defer cl.pool.Close()
	asked := len(*f.kinds) > 0
	if list, err = cl.allowed(list, asked); err != nil {
		return err
	}
	census := resources.NewCensus(ctx, kinds.Served(), cl.door, resources.Scope{AllProjects: cl.spec.AllProjects})
	found, home, err := marked(ctx, census, list, asked)
	if err != nil {
		return err
	}
	// After the cloud, and in all namespaces: an object that is not seen would be one that is not there.
	standing, err := a.standing(ctx, c, "")
	if err != nil {
		return fmt.Errorf("looking at the objects of all namespaces, which it takes to know an orphan: %w", err)
	}
	known, err := cluster(standing, cl)
	if err != nil {
		return err
	}
	found = orphaned(found, known)
	if !*f.all {
		if found, err = home.ours(ctx, c, found); err != nil {
			return err
		}
	}
	if found, err = home.fill(found, ids); err != nil {
		return err
	}
	if *f.delete && *f.yes {
		home.remove(ctx, census, found)
	}
	if err := a.print(home, func() { a.showOrphans(home, *f.delete) }); err != nil {
		return err
	}
	return home.verdict()
}

// marked reads the resources that carry a marker.
func marked(ctx context.Context, census *resources.Census, list []*d.Kind,
	asked bool) (found []resources.Found, home *orphanage, err error) {
	home = &orphanage{Orphans: []orphan{}}
	for _, k := range list {
		if !resources.Marked(k) {
			home.Blind = append(home.Blind, k.Name)
			continue
		}
		if !asked && !census.Serves(k) {
			continue
		}
		some, err := census.Of(ctx, k.Name)
		switch {
		case err == nil:
		case asked || !intake.Forgivable(err):
			return nil, nil, ofCloud("reading the cloud", err)
		default:
			home.Unread = append(home.Unread, k.Name+": "+err.Error())
		}
		found = append(found, some...)
	}
	return found, home, nil
}

// orphaned are the orphans among resources.
func orphaned(found []resources.Found, known *intake.Cluster) []resources.Found {
	return slices.DeleteFunc(found, func(f resources.Found) bool { return !known.Foreign(f) })
}

// ours are the resources of this cluster; the others are counted.
func (h *orphanage) ours(ctx context.Context, c client.Reader, found []resources.Found) ([]resources.Found, error) {
	var ns corev1.Namespace
	err := c.Get(ctx, client.ObjectKey{Name: metav1.NamespaceSystem}, &ns)
	if client.IgnoreNotFound(err) != nil {
		return nil, fmt.Errorf("reading the namespace %s, which tells clusters apart; ask for the right to get it, or "+
			"give --all-clusters: %w", metav1.NamespaceSystem, err)
	}
	here := resources.ClusterID(ns.UID)
	ours := slices.DeleteFunc(slices.Clone(found), func(f resources.Found) bool { return f.Cluster != here })
	h.Elsewhere = len(found) - len(ours)
	return ours, nil
}

// fill takes the orphans in, or those with the given ids, and returns them.
func (h *orphanage) fill(found []resources.Found, ids []string) ([]resources.Found, error) {
	if len(ids) > 0 {
		found = slices.DeleteFunc(found, func(f resources.Found) bool { return !slices.Contains(ids, f.ID) })
	}
	left := slices.Clone(ids)
	for _, f := range found {
		h.Orphans = append(h.Orphans, orphan{Kind: f.Kind.Name, ID: f.ID, Name: intake.NameOf(f), Marker: f.Marker,
			Cluster: f.Cluster})
		left = slices.DeleteFunc(left, func(id string) bool { return id == f.ID })
	}
	if len(left) > 0 {
		return nil, fmt.Errorf("%s: no orphan has this id; see stackwright resources orphans, with --all-clusters for those "+
			"that other clusters left", strings.Join(left, ", "))
	}
	return found, nil
}

// remove deletes the orphans, what others refer to last.
func (h *orphanage) remove(ctx context.Context, census *resources.Census, found []resources.Found) {
	for i, f := range slices.Backward(found) {
		if err := census.Remove(ctx, f); err != nil {
			h.Orphans[i].Error = err.Error()
			continue
		}
		h.Orphans[i].Deleted = true
	}
}

func (h *orphanage) verdict() error {
	left, failed := 0, 0
	for _, o := range h.Orphans {
		switch {
		case o.Error != "":
			failed++
		case !o.Deleted:
			left++
		}
	}
	switch {
	case failed > 0:
		return fmt.Errorf("%d orphans could not be deleted", failed)
	case left > 0:
		return no()
	}
	return nil
}

func (a *app) showOrphans(h *orphanage, remove bool) {
	rows := [][]string{{"KIND", "ID", "NAME", "MARKER", "CLUSTER", "DELETED"}}
	deleted := 0
	for _, o := range h.Orphans {
		state := cmp.Or(firstLine(o.Error), yesNo(o.Deleted))
		rows = append(rows, []string{o.Kind, o.ID, orDash(o.Name), o.Marker, orDash(o.Cluster), state})
		if o.Deleted {
			deleted++
		}
	}
	if len(h.Orphans) > 0 {
		a.table(rows)
	} else {
		fmt.Fprintln(a.out, "There are no orphans.")
	}
	if h.Elsewhere > 0 {
		fmt.Fprintf(a.out, "\n%d more are of another cluster, or do not tell of which; see them with --all-clusters.\n",
			h.Elsewhere)
	}
	if len(h.Blind) > 0 {
		fmt.Fprintf(a.out, "\nNot looked at, for they do not show whose they are: %s\n", strings.Join(h.Blind, ", "))
	}
	for _, line := range h.Unread {
		fmt.Fprintln(a.out, "Could not be read: "+line)
	}
	if remove && deleted == 0 && len(h.Orphans) > 0 {
		fmt.Fprintln(a.out, "\nNothing was deleted. To delete all of these, repeat it with --yes.")
	}
}
