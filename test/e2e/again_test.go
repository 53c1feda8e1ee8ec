//go:build e2e

package e2e

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	controlplanev1 "stackwright.dev/stackwright/api/controlplane/v1alpha1"
	fleetv1 "stackwright.dev/stackwright/api/fleet/v1alpha1"
	"stackwright.dev/stackwright/test/e2e/story"
)

// A control plane is deleted and made again beside the host of a server. Over data that was kept it knows what it knew,
// a token of before is good, and the server, which went on meanwhile, is led by it again; without data it begins anew.
func TestCloudIsMadeAgain(t *testing.T) {
	story.Slow(t)
	w := story.Start(t)
	cp := w.NewCloud("again")
	core(&cp.Spec.Services)
	w.Apply(cp.DeepCopy())
	w.Ready(story.UpToReady, cp)
	f := fleet{w, cp.Namespace}
	rack := f.ownHost(cp)
	for _, command := range []string{"project create shop", "resource class create CUSTOM_SHOP",
		"image create shop --disk-format raw --container-format bare --file " + some,
		"flavor create tiny --ram 64 --disk 0", "network create shop",
		"subnet create shop --network shop --subnet-range 10.20.0.0/24",
		"server create shop --flavor tiny --image shop --network shop --wait"} {
		inCloud(w, cp, command)
	}
	const know = "project list; openstack resource class list | grep CUSTOM; openstack image list; " +
		"openstack image save --file /tmp/shop shop; sha256sum < /tmp/shop; openstack server list; openstack port list; " +
		"openstack hypervisor list; openstack aggregate list"
	known, pid := inCloud(w, cp, know), f.running(cp)
	token, err := w.Users(cp).Token(t.Context())
	if err != nil {
		t.Fatal(err)
	}

	t.Logf("with its data kept it is ready again after %s", remake(w, cp, rack.Name))
	if err := w.Users(cp).Validate(t.Context(), token); err != nil {
		t.Errorf("a token of before is not good: %v", err)
	}
	if now := inCloud(w, cp, know); now != known {
		t.Errorf("it knew\n%s\nand knows\n%s", known, now)
	}
	if now := f.running(cp); now != pid {
		t.Errorf("the guest is process %s, and was %s", now, pid)
	}
	t.Logf("the host is ready again after %s more", w.Ready(2*time.Minute, rack))
	inCloud(w, cp, "server reboot --hard --wait shop; openstack server delete --wait shop")
	if err := f.deleted(t.Context(), rack); err != nil {
		t.Fatal(err)
	}
	w.Gone(4*time.Minute, rack)
	w.Eventually(time.Minute, "Neutron has no agent of the host", func(context.Context) error {
		if agents := strings.TrimSpace(inCloud(w, cp, "network agent list -f value -c Host -c Binary")); agents != "" {
			return errors.New("it has " + agents)
		}
		return nil
	})

	cp.Spec.DeletionPolicy = controlplanev1.Delete
	w.Apply(fresh(cp))
	t.Logf("without its data it is ready again after %s", remake(w, cp))
	now := inCloud(w, cp, "project list; openstack resource class list; openstack image list; openstack flavor list; "+
		"openstack network list")
	if strings.Contains(strings.ToLower(now), "shop") || strings.Contains(now, "tiny") {
		t.Errorf("without its data it knows\n%s", now)
	}
}

// ownHost makes the only node a host of a control plane of the story's own.
func (f fleet) ownHost(cp *controlplanev1.OpenStackControlPlane) *fleetv1.BuildingBlock {
	f.Helper()
	f.mark()
	rack := f.rack()
	rack.Spec.Cell, rack.Spec.OVN = cp.Name+"-nova-cell1", cp.Name+"-ovn"
	f.Apply(rack.DeepCopy())
	f.Logf("the host is ready after %s", f.Ready(3*time.Minute, rack))
	return rack
}

// running is the process of the only guest.
func (f fleet) running(cp *controlplanev1.OpenStackControlPlane) string {
	f.Helper()
	name := inCloud(f.World, cp, "server show shop -f value -c OS-EXT-SRV-ATTR:instance_name")
	pid, err := f.guest(f.Context(), strings.TrimSpace(name))
	if err != nil {
		f.Fatal(err)
	}
	return pid
}

// inCloud runs a command in the client's pod of a control plane of the story's own.
func inCloud(w *story.World, cp *controlplanev1.OpenStackControlPlane, command string) string {
	w.Helper()
	out, err := w.Cluster.Kubectl(w.Context(), "-n", cp.Namespace, "exec", "deployment/"+cp.Name+"-client", "--",
		"sh", "-ec", "openstack "+command)
	if err != nil {
		w.Fatal(err)
	}
	return out
}

// fresh is an object to apply: what the API server added is left out.
func fresh(cp *controlplanev1.OpenStackControlPlane) *controlplanev1.OpenStackControlPlane {
	return &controlplanev1.OpenStackControlPlane{Spec: cp.Spec,
		ObjectMeta: metav1.ObjectMeta{Namespace: cp.Namespace, Name: cp.Name}}
}

// remake deletes a control plane, waits until it and its pods are gone, and applies it again. Pods of blocks stay.
func remake(w *story.World, cp *controlplanev1.OpenStackControlPlane, blocks ...string) time.Duration {
	w.Helper()
	raze(w, cp, blocks...)
	w.Apply(cp.DeepCopy())
	return w.Ready(story.UpToReady, cp)
}

// raze deletes a control plane and waits until it and its pods are gone. Pods of blocks stay. The object can be applied
// again then.
func raze(w *story.World, cp *controlplanev1.OpenStackControlPlane, blocks ...string) {
	w.Helper()
	again := fresh(cp)
	if err := w.Delete(w.Context(), cp); err != nil {
		w.Fatal(err)
	}
	w.Gone(3*time.Minute, cp)
	w.Eventually(2*time.Minute, "its pods are gone", func(ctx context.Context) error {
		pods := &corev1.PodList{}
		err := w.List(ctx, pods, client.InNamespace(cp.Namespace))
		left := slices.DeleteFunc(pods.Items, func(p corev1.Pod) bool {
			return slices.Contains(blocks, p.Labels["app.kubernetes.io/instance"])
		})
		if err == nil && len(left) > 0 {
			err = fmt.Errorf("there are %d pods, such as %s", len(left), left[0].Name)
		}
		return err
	})
	again.DeepCopyInto(cp)
}
