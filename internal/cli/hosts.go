package cli

import (
	"context"
	"fmt"
	"math"
	"slices"
	"strings"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/api/resource"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"stackwright.dev/kit/owner"

	controlplanev1 "stackwright.dev/stackwright/api/controlplane/v1alpha1"
	fleetv1 "stackwright.dev/stackwright/api/fleet/v1alpha1"
	infrav1 "stackwright.dev/stackwright/api/infra/v1alpha1"
	servicev1 "stackwright.dev/stackwright/api/service/v1alpha1"
)

// mostHosts is how many hosts that work are listed of a block; those that do not are listed all.
const mostHosts = 8

// blockState is the state of a block of hosts in one of the control plane's cells.
type blockState struct {
	Name      string `json:"name"`
	Cell      string `json:"cell"`
	Readiness `json:",inline"`
	// Steps that wait for something, or failed; also those of what makes the hosts chassis of OVN.
	Steps []stepState `json:"steps,omitempty"`
	Hosts []hostState `json:"hosts"`
}

// hostState is what Nova and Placement know of a host.
type hostState struct {
	Name      string `json:"name"`
	State     string `json:"state,omitempty"`
	Readiness `json:",inline"`
	// Servers is empty while it is not known.
	Servers *int32                `json:"servers,omitempty"`
	VCPUs   *fleetv1.HostResource `json:"vcpus,omitempty"`
	Memory  *fleetv1.HostResource `json:"memory,omitempty"`
}

// lookAtBlocks reads the blocks whose hosts belong to the cells of a control plane, or all of the namespace when that
// is nil: none in a cluster without their kind, and for somebody who may not see them.
func lookAtBlocks(ctx context.Context, c client.Reader, namespace string,
	o *controlplanev1.OpenStackControlPlane) ([]blockState, error) {
	blocks, hosts := &fleetv1.BuildingBlockList{}, &fleetv1.HypervisorList{}
	if ok, err := listAll(ctx, c, namespace, blocks, hosts); !ok {
		return nil, err
	}
	if o != nil {
		own, err := cellsOf(ctx, c, o)
		if err != nil {
			return nil, err
		}
		blocks.Items = slices.DeleteFunc(blocks.Items, func(b fleetv1.BuildingBlock) bool { return !own[b.Spec.Cell] })
	}
	chassis := &infrav1.OVNChassisList{}
	if len(blocks.Items) > 0 {
		if _, err := listAll(ctx, c, namespace, chassis); err != nil {
			return nil, err
		}
	}
	var out []blockState
	for i := range blocks.Items {
		out = append(out, stateOfBlock(&blocks.Items[i], hosts.Items, chassis.Items))
	}
	return out, nil
}

// cellsOf are the names of the cells that the Novas of a control plane have.
func cellsOf(ctx context.Context, c client.Reader, o *controlplanev1.OpenStackControlPlane) (map[string]bool, error) {
	cells, own := &servicev1.NovaCellList{}, map[string]bool{}
	if ok, err := listAll(ctx, c, o.Namespace, cells); !ok {
		return own, err
	}
	for i := range cells.Items {
		for _, item := range o.Status.Inventory {
			if item.Kind == "Nova" && item.Name == cells.Items[i].Spec.Nova {
				own[cells.Items[i].Name] = true
			}
		}
	}
	return own, nil
}

// listAll fills lists with what a namespace has; false in a cluster without one of their kinds, and for somebody who
// may not see them.
func listAll(ctx context.Context, c client.Reader, namespace string, lists ...client.ObjectList) (bool, error) {
	for _, list := range lists {
		if err := c.List(ctx, list, client.InNamespace(namespace)); err != nil {
			if meta.IsNoMatchError(err) || apierrors.IsForbidden(err) {
				return false, nil
			}
			return false, fmt.Errorf("listing the hosts in namespace %s: %w", namespace, err)
		}
	}
	return true, nil
}

func stateOfBlock(b *fleetv1.BuildingBlock, hosts []fleetv1.Hypervisor, chassis []infrav1.OVNChassis) blockState {
	s := blockState{Name: b.Name, Cell: b.Spec.Cell, Readiness: verdict(&b.Status.Status, b.Generation),
		Steps: open(&b.Status.Status), Hosts: []hostState{}}
	for i := range chassis {
		x := &chassis[i]
		for _, item := range b.Status.Inventory {
			if item.Kind == "OVNChassis" && item.Name == x.Name {
				s.Steps = append(s.Steps, openOf(item, &x.Status.Status, x.Generation)...)
			}
		}
	}
	for i := range hosts {
		h := &hosts[i]
		if h.Spec.Block != b.Name {
			continue
		}
		s.Hosts = append(s.Hosts, hostState{Name: h.Name, State: string(h.Status.State),
			Readiness: verdict(&h.Status.Status, h.Generation), Servers: h.Status.Servers, VCPUs: h.Status.VCPUs,
			Memory: h.Status.Memory})
	}
	return s
}

// works tells of a host that servers can be started on.
func (h *hostState) works() bool { return h.Ready && h.State == string(fleetv1.HostUp) }

// rows are the lines of a block, of its steps that wait, and of its hosts: those that do not work, and some that do.
func (b *blockState) rows() (rows [][]string, ranks []int) {
	rows = [][]string{{b.Name, fmt.Sprintf("%d/%d up", b.up(), len(b.Hosts)), "", "", "", age(b.Since.Time),
		firstLine(b.Message)}}
	rows = append(rows, stepRows(b.Steps, "  ", 3)...)
	ranks = slices.Repeat([]int{rankBrokenHost}, len(rows))
	shown := 0
	for i := range b.Hosts {
		h := &b.Hosts[i]
		if h.works() {
			shown++
		}
		if h.works() && shown > mostHosts {
			continue
		}
		rank := rankBrokenHost
		if h.works() {
			rank = rankHost
		}
		ranks = append(ranks, rank)
		servers := "-"
		if h.Servers != nil {
			servers = fmt.Sprint(*h.Servers)
		}
		rows = append(rows, []string{"  " + h.Name, orDash(h.State), servers, share(h.VCPUs, ""), share(h.Memory, "Gi"),
			age(h.Since.Time), firstLine(h.Message)})
	}
	if more := shown - mostHosts; more > 0 {
		rows = append(rows, []string{"", "", "", "", "", "", fmt.Sprintf("and %d more that are up", more)})
		ranks = append(ranks, rankHost)
	}
	return rows, ranks
}

// up counts the hosts that work.
func (b *blockState) up() int {
	n := 0
	for i := range b.Hosts {
		if b.Hosts[i].works() {
			n++
		}
	}
	return n
}

// share tells how much of what servers may have is used; unit Gi counts in GiB, and none in whole numbers.
func share(r *fleetv1.HostResource, unit string) string {
	if r == nil {
		return "-"
	}
	value := func(q resource.Quantity) float64 {
		if unit == "" {
			return q.AsApproximateFloat64()
		}
		return q.AsApproximateFloat64() / (1 << 30)
	}
	ratio := 1.0
	if r.AllocationRatio != "" {
		if n, err := fmt.Sscan(r.AllocationRatio, &ratio); n != 1 || err != nil {
			ratio = 1
		}
	}
	most := (value(r.Total) - value(r.Reserved)) * ratio
	return fmt.Sprintf("%v/%v%s", math.Round(value(r.Used)*10)/10, math.Floor(most*10)/10, unit)
}

// brief tells of hosts what changes a line of what is watched.
func (b *blockState) brief() string {
	var wrong []string
	for i := range b.Hosts {
		if !b.Hosts[i].works() {
			wrong = append(wrong, b.Hosts[i].Name)
		}
	}
	line := fmt.Sprintf("block %s %d/%d up", b.Name, b.up(), len(b.Hosts))
	if len(wrong) > 0 {
		line += " (not " + strings.Join(wrong[:min(3, len(wrong))], ", ") + ")"
	}
	return line
}

// hostsIn are the blocks of a cell as branches of the tree.
func hostsIn(ctx context.Context, c client.Reader, namespace, cell string) ([]branch, error) {
	blocks := &fleetv1.BuildingBlockList{}
	if ok, err := listAll(ctx, c, namespace, blocks); !ok {
		return nil, err
	}
	var out []branch
	for i := range blocks.Items {
		b := &blocks.Items[i]
		if b.Spec.Cell != cell {
			continue
		}
		kid, err := grow(ctx, c, owner.Item{Group: fleetv1.GroupVersion.Group, Kind: kindBlock, Namespace: namespace,
			Name: b.Name})
		if err != nil {
			return nil, err
		}
		out = append(out, kid)
	}
	return slices.Clip(out), nil
}
