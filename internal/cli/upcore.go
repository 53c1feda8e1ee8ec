package cli

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/netip"
	"os/exec"
	"slices"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"stackwright.dev/kit/gate"

	controlplanev1 "stackwright.dev/stackwright/api/controlplane/v1alpha1"
	fleetv1 "stackwright.dev/stackwright/api/fleet/v1alpha1"
	infrav1 "stackwright.dev/stackwright/api/infra/v1alpha1"
	servicev1 "stackwright.dev/stackwright/api/service/v1alpha1"
	"stackwright.dev/stackwright/internal/cli/install"
	"stackwright.dev/stackwright/internal/cli/progress"
	"stackwright.dev/stackwright/internal/nodes"
)

// Profiles say how much of an OpenStack up makes.
const (
	profileCore     = "core"
	profileFull     = "full"
	profileKeystone = "keystone"
)

// physical is what the network outside is called in OpenStack.
const physical = "public"

func (f *upFlags) check() error {
	if profiles := []string{profileCore, profileFull, profileKeystone}; !slices.Contains(profiles, f.profile) {
		return usage(fmt.Errorf("--profile %q is not possible: want one of %s", f.profile, strings.Join(profiles, ", ")))
	}
	return f.checkPicture()
}

// services of a new control plane.
func (u *ascent) services() map[string]any {
	if u.profile == profileKeystone {
		return nil
	}
	out := map[string]any{}
	for _, s := range []string{"glance", "placement", "neutron", "nova", "horizon"} {
		out[s] = map[string]any{}
	}
	if u.profile == profileFull {
		out["barbican"], out["heat"] = map[string]any{}, map[string]any{}
	}
	if u.local {
		out["neutron"] = map[string]any{"physicalNetworks": []any{map[string]any{"name": physical}}}
		out["glance"] = map[string]any{"stores": []any{map[string]any{"name": cephName, "rbd": inCeph("glance", poolImages)}}}
		out["cinder"] = map[string]any{"backends": []any{map[string]any{"name": cephName,
			"rbd": inCeph("cinder", poolVolumes)}}}
	}
	return out
}

// Names of the Ceph of this machine, and of its pools.
const (
	cephName    = "ceph"
	poolImages  = "images"
	poolVolumes = "volumes"
	poolServers = "vms"
)

// cephSecret has the key of a client of that Ceph.
func cephSecret(of string) string { return cephName + "-" + of }

func inCeph(client, pool string) map[string]any {
	return map[string]any{"secret": cephSecret(client), "pool": pool}
}

// ceph is where images, volumes and disks of servers are on this machine. Nova writes images, too: a snapshot of a
// server is made in place.
func (u *ascent) ceph(image string) *unstructured.Unstructured {
	d := object("DevCeph", u.ns(), cephName, map[string]any{
		"image": image,
		"pools": []any{map[string]any{"name": poolImages}, map[string]any{"name": poolVolumes},
			map[string]any{"name": poolServers}},
		"clients": []any{
			map[string]any{"name": "glance", "pools": []any{poolImages}},
			map[string]any{"name": "cinder", "pools": []any{poolVolumes}, "readOnlyPools": []any{poolImages}},
			map[string]any{"name": "nova", "pools": []any{poolServers, poolImages}},
		},
		"storage": map[string]any{"size": "20Gi"},
	})
	d.SetGroupVersionKind(infrav1.GroupVersion.WithKind(d.GetKind()))
	return d
}

// stores tells whether a control plane keeps volumes in the Ceph of this machine.
func stores(o *controlplanev1.OpenStackControlPlane) bool {
	c := o.Spec.Services.Cinder
	return c != nil && slices.ContainsFunc(c.Backends, func(b servicev1.CinderBackend) bool {
		return b.RBD != nil && b.RBD.Secret == cephSecret("cinder")
	})
}

// hosted tells whether this machine is to be a host of servers: it is, unless somebody else says what runs.
func (u *ascent) hosted() bool { return u.local && u.profile != profileKeystone && u.file == "" }

// outside is the network of the machine that nodes of its cluster lead to, as devcluster tells it.
type outside struct {
	Network netip.Prefix `json:"network"`
	Gateway netip.Addr   `json:"gateway"`
	Link    string       `json:"link"`
}

func (u *ascent) outside(ctx context.Context) (outside, error) {
	program, err := beside()
	if err != nil {
		return outside{}, err
	}
	var failure strings.Builder
	cmd := exec.CommandContext(ctx, program, "status", "--name", u.devcluster, "--output", "json")
	cmd.Stderr = &failure
	out, err := cmd.Output()
	var status struct {
		Outside outside `json:"outside"`
	}
	if err == nil {
		err = json.Unmarshal(out, &status)
	}
	if err == nil && status.Outside.Link == "" {
		err = errors.New("it was started by an older version; run stackwright down and up again")
	}
	if err != nil {
		return outside{}, fmt.Errorf("asking devcluster for its network outside: %s: %s", err.Error(),
			strings.TrimSpace(failure.String()))
	}
	return status.Outside, nil
}

// blockName is the block of the nodes of this machine.
const blockName = "local"

// tunnelLink is the link that nodes of devcluster have for tunnels.
const tunnelLink = "eth1"

// block makes all nodes of the cluster on this machine hosts of a control plane. Disks of servers are in the Ceph,
// unless those of a block that was there before are not.
func (u *ascent) block(o *controlplanev1.OpenStackControlPlane, out outside, disks bool) *unstructured.Unstructured {
	spec := map[string]any{
		"release": u.release, "cell": o.Name + "-nova-cell1", "ovn": o.Name + "-ovn",
		"hosts": map[string]any{"nodeSelector": map[string]any{"kubernetes.io/os": "linux"}},
		"network": map[string]any{"gateway": true, "tunnel": map[string]any{"interface": tunnelLink},
			"bridgeMappings": []any{map[string]any{"physicalNetwork": physical, "interface": out.Link}}},
	}
	if stores(o) {
		spec["libvirt"] = map[string]any{"ceph": []any{map[string]any{"secret": cephSecret("cinder")}}}
	}
	if stores(o) && disks {
		spec["storage"] = map[string]any{"rbd": inCeph("nova", poolServers)}
	}
	b := object("BuildingBlock", u.ns(), blockName, spec)
	b.SetGroupVersionKind(fleetv1.GroupVersion.WithKind(b.GetKind()))
	return b
}

// recruit asks for storage and hosts. They and the control plane wait for each other where they have to.
func (u *ascent) recruit(ctx context.Context, c client.Client) error {
	if !u.hosted() {
		return nil
	}
	o, err := u.find(ctx, c)
	if err != nil || o.Spec.Services.Nova == nil {
		return err
	}
	if stores(o) {
		image, err := releaseImage(ctx, c, o, "ceph")
		if err != nil {
			return err
		}
		if err := apply(ctx, c, u.ceph(image)); err != nil {
			return err
		}
	}
	out, err := u.outside(ctx)
	if err != nil {
		return err
	}
	if err := u.invite(ctx, c); err != nil {
		return err
	}
	before := &fleetv1.BuildingBlock{}
	err = c.Get(ctx, client.ObjectKey{Namespace: u.ns(), Name: blockName}, before)
	if client.IgnoreNotFound(err) != nil {
		return fmt.Errorf("looking for the hosts: %w", err)
	}
	return apply(ctx, c, u.block(o, out, err != nil || before.Spec.Storage != nil))
}

// invite lets the namespace take agents of hosts, which is for those to say who may change namespaces. Where somebody
// has said otherwise, the block tells so.
func (u *ascent) invite(ctx context.Context, c client.Client) error {
	ns := &corev1.Namespace{}
	if err := c.Get(ctx, client.ObjectKey{Name: u.ns()}, ns); err != nil {
		return fmt.Errorf("reading namespace %s: %w", u.ns(), err)
	}
	was := client.MergeFrom(ns.DeepCopy())
	if !nodes.Invite(ns) {
		return nil
	}
	if err := c.Patch(ctx, ns, was, client.FieldOwner(install.FieldManager)); err != nil {
		return fmt.Errorf("labelling namespace %s: %w", ns.Name, err)
	}
	return nil
}

// hosts follows the hosts until they work.
func (u *ascent) hosts(ctx context.Context, p *progress.Part) error {
	c, err := u.client()
	if err != nil {
		return err
	}
	b := &fleetv1.BuildingBlock{}
	b.Namespace, b.Name = u.ns(), blockName
	ready := gate.For(b)
	return u.follow(ctx, p, func(ctx context.Context) (lack, error) {
		if err := c.Get(ctx, client.ObjectKeyFromObject(b), b); err != nil {
			return lack{}, fmt.Errorf("looking for the hosts: %w", err)
		}
		if ok, why := ready(b); !ok {
			return lack{why, b}, nil
		}
		return lack{}, nil
	})
}

// lack is what up waits for: in words, and the object that may know why it is not there.
type lack struct {
	line string
	of   client.Object
}

// follow asks what is missing until nothing is, notes it when it changes, and what the object says when it does not. It
// ends when that was refused.
func (u *ascent) follow(ctx context.Context, p *progress.Part, missing func(context.Context) (lack, error)) error {
	var doubt forbearance
	for last := (lull{since: time.Now()}); ; {
		asked := time.Now()
		what, err := missing(ctx)
		if err == nil && what.line == "" || ctx.Err() == nil && !doubt.bears(err) {
			return err
		}
		if err != nil {
			what = lack{line: err.Error()}
		}
		if err := u.tell(ctx, p, &last, lack{brief(what.line), what.of}); err != nil {
			return err
		}
		select {
		case <-ctx.Done():
			return fmt.Errorf("waiting: %w; the last was: %s", ctx.Err(), last.line)
		case <-time.After(pause(time.Since(asked))):
		}
	}
}

// pause is how long up waits before it asks again, after a question that took a time. On a machine that is slow to
// answer, to ask would take what is asked for its processor.
func pause(took time.Duration) time.Duration {
	return min(max(300*time.Millisecond, 5*took), 5*time.Second)
}

// stubborn is how long a question may fail before that is the end: on a machine on which everything starts, somebody
// may not answer at times.
const stubborn = 30 * time.Second

// forbearance tells which errors of a question that is asked again and again are borne.
type forbearance struct{ since time.Time }

// bears tells that an error may go away by itself. A right or an object that is not there does not come back.
func (f *forbearance) bears(err error) bool {
	if err == nil {
		f.since = time.Time{}
		return true
	}
	if f.since.IsZero() {
		f.since = time.Now()
	}
	return !apierrors.IsNotFound(err) && !apierrors.IsForbidden(err) && time.Since(f.since) < stubborn
}
