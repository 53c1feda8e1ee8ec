package glance

import (
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"

	servicev1 "stackwright.dev/stackwright/api/service/v1alpha1"
	"stackwright.dev/stackwright/internal/service"
	"stackwright.dev/stackwright/internal/service/oslo"
)

// cacheFolder is where each pod has its copies of images.
const cacheFolder = home + "/cache"

// keepCopies lets the API keep what it hands out. What is known about a copy lies beside it, in attributes of its file:
// the database would have to know pods by names that they keep, and SQLite is on its way out of Glance.
func keepCopies(g *glance, f *oslo.File) {
	if g.Spec.Cache == nil {
		return
	}
	size := cacheSize(g.Spec.Cache)
	f.Set("paste_deploy", "flavor", "keystone+caching")
	f.Set(oslo.Default, "image_cache_dir", cacheFolder)
	f.Set(oslo.Default, "image_cache_driver", "xattr")
	// The cache is made smaller after it has grown. On a volume that is full an image is handed out and not kept.
	f.Set(oslo.Default, "image_cache_max_size", size.Value()/5*4)
	// What a worker that was ended left half done is in the way of the next copy; a connection stalls a minute at most.
	f.Set(oslo.Default, "image_cache_stall_time", 600)
}

func cacheSize(c *servicev1.ImageCache) resource.Quantity {
	if c.Size.IsZero() {
		return resource.MustParse("20Gi")
	}
	return c.Size
}

// tidy takes out of the cache what is broken or too much, every five minutes. Nothing in Glance does so by itself.
func tidy(g *glance) []string {
	if g.Spec.Cache == nil {
		return nil
	}
	var out []string
	for _, program := range []string{"glance-cache-cleaner", "glance-cache-pruner"} {
		out = append(out, "cron2 = minute=-5,unique=1 "+program+" --config-file "+configPath)
	}
	return out
}

// copies is the volume of the cache.
func copies(g *glance) []service.Claim {
	c := g.Spec.Cache
	if c == nil {
		return nil
	}
	volume := &corev1.PersistentVolumeClaimSpec{
		AccessModes: []corev1.PersistentVolumeAccessMode{corev1.ReadWriteOnce},
		Resources: corev1.VolumeResourceRequirements{
			Requests: corev1.ResourceList{corev1.ResourceStorage: cacheSize(c)}},
	}
	if c.ClassName != "" {
		volume.StorageClassName = &c.ClassName
	}
	return []service.Claim{{Name: "cache", Path: cacheFolder, Own: volume}}
}
