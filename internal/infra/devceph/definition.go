// Package devceph is the operator of DevCeph: a Ceph of one pod, for development. Its keys are made here, so that
// clients have theirs before there is a Ceph.
package devceph

import (
	"context"
	"slices"
	"strconv"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	networkingv1 "k8s.io/api/networking/v1"
	storagev1 "k8s.io/api/storage/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"stackwright.dev/kit"
	"stackwright.dev/kit/outcome"
	"stackwright.dev/kit/ref"
	"stackwright.dev/kit/step"

	infrav1 "stackwright.dev/stackwright/api/infra/v1alpha1"
	"stackwright.dev/stackwright/internal/infra/member"
)

type (
	object = *infrav1.DevCeph
	scope  = step.Scope[object]
)

// Names of steps and references that are used in several places.
const (
	stepAccess  = "access"
	stepKeys    = "keys"
	stepConfig  = "config"
	stepVolume  = "volume"
	stepSet     = "statefulset"
	stepContent = "content"
	stepClients = "clients"
	refKeys     = "keys"
	refConfig   = "config"
	refClass    = "class"
)

// Definition is the operator.
func Definition() kit.Definition[object] {
	return kit.Definition[object]{
		Name: "devceph",
		New:  func() object { return &infrav1.DevCeph{} },
		Refs: []ref.Ref[object]{
			ref.Local(refKeys, &corev1.Secret{}, keysName),
			ref.Local(refConfig, &corev1.Secret{}, configName),
			ref.To(refClass, &storagev1.StorageClass{}, storageClass),
		},
		Steps: []step.Step[object]{
			step.Objects(stepAccess, access, step.Condition[object]("ServiceReady"),
				step.Makes[object](&corev1.ServiceAccount{}, &corev1.Service{}, &networkingv1.NetworkPolicy{})),
			step.Secret(stepKeys, keys, keysName, step.Copied[object](), step.KeepWhen(retained)),
			step.Check("pools", pools, step.Condition[object]("PoolsKnown")),
			step.Objects(stepConfig, config, step.Makes[object](&corev1.Secret{}), step.Reads[object](refKeys),
				step.Sees[object](stepAccess), step.After[object](stepKeys, "pools"), step.Condition[object]("ConfigReady")),
			step.Objects(stepVolume, volume, step.Makes[object](&corev1.PersistentVolumeClaim{}),
				step.Reads[object](refClass), step.KeepWhen(retained), step.Condition[object]("VolumeReady"),
				step.Ready[object]("PersistentVolumeClaim", member.HasClass)),
			step.Objects(stepSet, statefulSet, step.Makes[object](&appsv1.StatefulSet{}), step.Reads[object](refConfig),
				step.After[object](stepAccess, stepConfig, stepVolume), step.Condition[object]("DeploymentReady")),
			step.Job(stepContent, content, step.Reads[object](refConfig),
				step.Sees[object](stepVolume), step.After[object](stepSet), step.Condition[object]("ContentReady")),
			// Who finds the Secret of a client can use it.
			step.Objects(stepClients, clients, step.Makes[object](&corev1.Secret{}), step.Reads[object](refKeys),
				step.Sees[object](stepAccess), step.After[object](stepContent), step.Condition[object]("ClientsReady")),
		},
		Report: report,
	}
}

// retained tells whether the data outlives the object.
func retained(d object) bool { return d.Spec.DeletionPolicy != infrav1.DeleteData }

func storageClass(d object) []types.NamespacedName {
	if d.Spec.Storage.ClassName == "" {
		return nil
	}
	return []types.NamespacedName{{Name: d.Spec.Storage.ClassName}}
}

// pools refuses a client of a pool that there is not.
func pools(_ context.Context, s *scope) *outcome.Outcome {
	d := s.Owner()
	for _, c := range d.Spec.Clients {
		for _, p := range slices.Concat(c.Pools, c.ReadOnlyPools) {
			if !slices.ContainsFunc(d.Spec.Pools, func(have infrav1.DevCephPool) bool { return have.Name == p }) {
				return outcome.Refuse("UnknownPool", "Client %s is to use pool %s, which spec.pools does not have; "+
					"add it there, or correct the name.", c.Name, p)
			}
		}
	}
	return outcome.Done()
}

func report(v step.View, d object) {
	d.Status.Monitors = []string{d.Name + "." + d.Namespace + ".svc:" + strconv.Itoa(Port)}
	// It stays when the keys are lost, so that they are not made anew.
	if fsid := string(v.Content(refKeys)[keyFSID]); fsid != "" {
		d.Status.FSID = fsid
	}
}

func labels(d object) map[string]string {
	return map[string]string{"app.kubernetes.io/name": "ceph", "app.kubernetes.io/instance": d.Name}
}

func meta(d object, name string) metav1.ObjectMeta {
	return metav1.ObjectMeta{Name: name, Namespace: d.Namespace, Labels: labels(d)}
}

func keysName(d object) string   { return d.Name + "-keys" }
func configName(d object) string { return d.Name + "-config" }
func volumeName(d object) string { return d.Name + "-data" }

// ClientSecret names the Secret by which a client is known.
func ClientSecret(name, client string) string { return name + "-" + client }

// serviceAccount has no rights.
func serviceAccount(d object) string { return d.Name + "-ceph" }
