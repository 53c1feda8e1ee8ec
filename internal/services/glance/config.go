package glance

import (
	"maps"
	"strings"

	servicev1 "stackwright.dev/stackwright/api/service/v1alpha1"
	"stackwright.dev/stackwright/internal/service"
	"stackwright.dev/stackwright/internal/service/oslo"
)

// configFile is the name by which the application looks for its options.
const configFile = "glance-api.conf"

const home = "/var/lib/glance"

// folder is where the volume of a store is mounted. It is a part of the address of each image, which is in the
// database: it must never change.
func folder(store servicev1.ImageStore) string { return home + "/stores/" + store.Name }

// options sets what differs from upstream's defaults.
func options(s *scope, f *oslo.File) {
	g := s.Owner()
	var backends []string
	// What is staged is imported by any pod, so it is on a volume that all pods have, where there is one.
	waiting := home
	for i, store := range g.Spec.Stores {
		switch {
		case store.RBD != nil:
			backends = append(backends, store.Name+":rbd")
			rbd(s, f, i)
		case store.S3 != nil:
			backends = append(backends, store.Name+":s3")
			objects(s, f, i)
		case store.Swift != nil:
			backends = append(backends, store.Name+":swift")
			container(s, f, i)
		default:
			backends = append(backends, store.Name+":file")
			f.Set(store.Name, "filesystem_store_datadir", folder(store)+"/images")
			if waiting == home {
				waiting = folder(store)
			}
		}
	}
	f.Set(oslo.Default, "enabled_backends", strings.Join(backends, ","))
	f.Set("glance_store", "default_backend", g.Spec.Stores[0].Name)
	f.Set("os_glance_staging_store", "filesystem_store_datadir", waiting+"/staging")
	f.Set("os_glance_tasks_store", "filesystem_store_datadir", waiting+"/tasks")
	f.Set("paste_deploy", "flavor", "keystone")
	keepCopies(g, f)
	if quota := g.Spec.ProjectQuota; !quota.IsZero() {
		f.Set(oslo.Default, "user_storage_quota", quota.Value())
	}
	f.Set("paste_deploy", "config_file", "/etc/glance/glance-api-paste.ini")
	if g.Spec.RabbitMQ != "" {
		service.Notify(f)
	}
}

// rbd is a store in a Ceph. Cinder and Nova see from an image's address that they can clone it.
func rbd(s *scope, f *oslo.File, i int) {
	store := s.Owner().Spec.Stores[i]
	f.Set(oslo.Default, "show_image_direct_url", true)
	f.Set(store.Name, "rbd_store_pool", store.RBD.Pool)
	// A Ceph that is gone would keep a thread of the API for five minutes with each request, and one that stops for ever.
	f.Set(store.Name, "rados_connect_timeout", 60)
	// What is wrong with the Secret is told by keys.
	if a, err := access(s, i); err == nil {
		f.Set(store.Name, "rbd_store_user", a.User)
		f.Set(store.Name, "rbd_store_ceph_conf", a.Conf())
	}
}

// cephs are those of the stores, each at its place.
func cephs(g *glance) []*servicev1.Ceph {
	var out []*servicev1.Ceph
	for _, store := range g.Spec.Stores {
		out = append(out, store.RBD)
	}
	return out
}

// access to the Ceph of the store at a place of the list.
func access(s *scope, i int) (*service.CephAccess, error) {
	store := s.Owner().Spec.Stores[i]
	return service.NewCephAccess(store.Name, store.RBD, s.Content(service.RefCeph(i)))
}

// keys are what the API knows Cephs and the endpoints of other stores by.
func keys(s *scope) (map[string][]byte, error) {
	out := map[string][]byte{}
	for i, store := range s.Owner().Spec.Stores {
		made, err := secretFiles(s, i)
		if err != nil {
			return nil, err
		}
		maps.Copy(out, made)
		if store.RBD == nil {
			continue
		}
		a, err := access(s, i)
		if err != nil {
			return nil, err
		}
		maps.Copy(out, a.Files())
		out[cephModuleName+".py"] = cephModule
	}
	if remote(s.Owner()) {
		out[watchModuleName+".py"] = watchModule
	}
	return out, nil
}

// storeOptions can be set in the section of a store, which has the store's name.
func storeOptions() []string {
	return []string{"filesystem_store_chunk_size", "filesystem_store_file_perm", "filesystem_thin_provisioning",
		"store_description", "weight", "rbd_store_chunk_size", "rbd_thin_provisioning", "rados_connect_timeout",
		"s3_store_create_bucket_on_put", "s3_store_large_object_size", "s3_store_large_object_chunk_size",
		"s3_store_thread_pools", "swift_store_create_container_on_put", "swift_store_large_object_size",
		"swift_store_large_object_chunk_size", "swift_store_multiple_containers_seed", "swift_store_retry_get_count",
		"swift_store_expire_soon_interval", "swift_store_service_type"}
}
