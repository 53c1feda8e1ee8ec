// Package storage makes a folder for every persistent volume that is asked for and removes it with the volume.
package storage

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"
	"sigs.k8s.io/sig-storage-lib-external-provisioner/v13/controller"

	"stackwright.dev/devcluster/internal/cluster"
)

// Provisioner is the name that storage classes call it by.
const Provisioner = "devcluster.stackwright.dev/folder"

// Parameters of a storage class.
const (
	SizeParameter = "size"
	Enforced      = "enforced" // its value: a volume can be full, at the size that was asked for
)

// Every user may write: a pod that is not root and sets no fsGroup could not otherwise.
const mode = 0o777

// Run provisions until ctx is done.
func Run(ctx context.Context, client kubernetes.Interface, c *cluster.Cluster) {
	provisioner := controller.NewProvisionController(ctx, client, Provisioner, folders{c},
		controller.LeaderElection(false), controller.MetricsPort(0))
	provisioner.Run(ctx)
}

type folders struct{ cluster *cluster.Cluster }

var _ controller.Provisioner = folders{}

// Provision makes the folder on the node that the scheduler chose. The volume is of type local, not hostPath, because
// kubelet gives only the former to a pod's fsGroup.
func (f folders) Provision(_ context.Context, options controller.ProvisionOptions) (
	*corev1.PersistentVolume, controller.ProvisioningState, error,
) {
	if options.SelectedNodeName == "" {
		return nil, controller.ProvisioningFinished,
			fmt.Errorf("storage class %s must have volumeBindingMode WaitForFirstConsumer", options.StorageClass.Name)
	}
	path := filepath.Join(f.cluster.Volumes(options.SelectedNodeName), options.PVName)
	if err := make777(path); err != nil {
		return nil, controller.ProvisioningNoChange, err
	}
	if options.StorageClass.Parameters[SizeParameter] == Enforced {
		bytes := options.PVC.Spec.Resources.Requests.Storage().Value()
		if err := makeSized(path, bytes, f.cluster.NodeMounts(options.SelectedNodeName)); err != nil {
			return nil, controller.ProvisioningFinished, errors.Join(err, f.remove(path))
		}
	}
	return volume(options, path), controller.ProvisioningFinished, nil
}

// Delete removes the folder, wherever it is: the node of a volume may be gone.
func (f folders) Delete(_ context.Context, volume *corev1.PersistentVolume) error {
	local := volume.Spec.Local
	// The path is in an object that users may edit, and we are root.
	if local == nil || filepath.Clean(local.Path) != local.Path ||
		!strings.HasPrefix(local.Path, f.cluster.State()+"/nodes/") || filepath.Base(local.Path) != volume.Name {
		return fmt.Errorf("volume %s is not one of ours: its path is not that of a folder we made", volume.Name)
	}
	return f.remove(local.Path)
}

func (f folders) remove(path string) error {
	node := filepath.Base(filepath.Dir(filepath.Dir(path)))
	if err := removeSized(path, f.cluster.NodeMounts(node)); err != nil {
		return err
	}
	if err := os.RemoveAll(path); err != nil {
		return fmt.Errorf("removing volume: %w", err)
	}
	return nil
}

func make777(path string) error {
	if err := os.MkdirAll(path, mode); err != nil {
		return fmt.Errorf("making volume: %w", err)
	}
	if err := os.Chmod(path, mode); err != nil { // the umask took bits away
		return fmt.Errorf("opening volume to all users: %w", err)
	}
	return nil
}

func volume(options controller.ProvisionOptions, path string) *corev1.PersistentVolume {
	return &corev1.PersistentVolume{
		ObjectMeta: metav1.ObjectMeta{Name: options.PVName},
		Spec: corev1.PersistentVolumeSpec{
			PersistentVolumeReclaimPolicy: *options.StorageClass.ReclaimPolicy,
			AccessModes:                   options.PVC.Spec.AccessModes,
			Capacity:                      options.PVC.Spec.Resources.Requests,
			PersistentVolumeSource: corev1.PersistentVolumeSource{
				Local: &corev1.LocalVolumeSource{Path: path},
			},
			NodeAffinity: &corev1.VolumeNodeAffinity{Required: &corev1.NodeSelector{
				NodeSelectorTerms: []corev1.NodeSelectorTerm{{
					MatchExpressions: []corev1.NodeSelectorRequirement{{
						Key: corev1.LabelHostname, Operator: corev1.NodeSelectorOpIn, Values: []string{options.SelectedNodeName},
					}},
				}},
			}},
		},
	}
}
