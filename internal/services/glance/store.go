package glance

import (
	"slices"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"stackwright.dev/kit/ref"

	servicev1 "stackwright.dev/stackwright/api/service/v1alpha1"
	"stackwright.dev/stackwright/internal/infra/member"
	"stackwright.dev/stackwright/internal/service"
)

// files are the stores on volumes.
func files(g *glance) []servicev1.ImageStore {
	return slices.DeleteFunc(slices.Clone(g.Spec.Stores), func(s servicev1.ImageStore) bool { return s.File == nil })
}

func claimName(g *glance, store servicev1.ImageStore) string { return g.Name + "-" + store.Name }

// volumes are those that stores have already.
func volumes() ref.Ref[*glance] {
	return member.Volumes(refVolumes, func(g *glance) []string {
		var names []string
		for _, store := range files(g) {
			names = append(names, claimName(g, store))
		}
		return names
	})
}

// stores are the volumes of the stores, once all Secrets of stores are as they have to be. A volume that is bound
// keeps its class, which cannot be changed.
func (s server) stores(sc *scope) ([]client.Object, error) {
	g := sc.Owner()
	for i := range g.Spec.Stores {
		if _, err := secretFiles(sc, i); err != nil {
			return nil, err
		}
	}
	have := sc.All(refVolumes)
	var out []client.Object
	for i, store := range files(g) {
		claim := &corev1.PersistentVolumeClaim{
			ObjectMeta: metav1.ObjectMeta{Name: claimName(g, store), Namespace: g.Namespace, Labels: s.Labels(g, "")},
			Spec: corev1.PersistentVolumeClaimSpec{
				AccessModes: []corev1.PersistentVolumeAccessMode{mode(store.File)},
				Resources: corev1.VolumeResourceRequirements{Requests: corev1.ResourceList{
					corev1.ResourceStorage: size(store.File)}},
			},
		}
		if class := store.File.ClassName; class != "" {
			claim.Spec.StorageClassName = &class
		}
		if i < len(have) {
			if err := member.Strays(have[i:i+1], store.File.ClassName); err != nil {
				return nil, err
			}
			claim.Spec.StorageClassName = member.Class(have[i], claim.Spec.StorageClassName)
			claim.Spec.Resources.Requests[corev1.ResourceStorage] = member.Size(have[i], size(store.File), sc.All(refClasses))
		}
		out = append(out, claim)
	}
	return out, nil
}

// The values of a store that does not say otherwise, as its schema has them.
func mode(f *servicev1.FileStore) corev1.PersistentVolumeAccessMode {
	if f.AccessMode == "" {
		return corev1.ReadWriteOnce
	}
	return corev1.PersistentVolumeAccessMode(f.AccessMode)
}

func size(f *servicev1.FileStore) resource.Quantity {
	if f.Size.IsZero() {
		return resource.MustParse("20Gi")
	}
	return f.Size
}

// room is how much the store in that place among those on volumes has.
func room(g *glance, place int) resource.Quantity { return size(files(g)[place].File) }

// claims mounts the stores, and the cache.
func claims(g *glance) []service.Claim {
	var out []service.Claim
	for _, store := range files(g) {
		out = append(out, service.Claim{
			Name: "store-" + store.Name, Claim: claimName(g, store), Path: folder(store),
			Shared: mode(store.File) == corev1.ReadWriteMany,
		})
	}
	return append(out, copies(g)...)
}
