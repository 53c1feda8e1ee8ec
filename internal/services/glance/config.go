package glance

import (
	"maps"
	"strings"

	servicev1 "stackwright.dev/stackwright/api/service/v1alpha1"
	"stackwright.dev/stackwright/internal/image/catalogue"
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
	for i, store := range g.Spec.Stores {
		name, configure, _ := driver(store)
		backends = append(backends, store.Name+":"+name)
		configure(s, f, i)
	}
	f.Set(oslo.Default, "enabled_backends", strings.Join(backends, ","))
	f.Set("glance_store", "default_backend", g.Spec.Stores[0].Name)
	// What is staged is on a volume that all pods have, where there is one.
	waiting := home
	if all := files(g); len(all) > 0 {
		waiting = folder(all[0])
	}
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

// driver is that of a store: its name, what configures it, and the options that people may set.
func driver(store servicev1.ImageStore) (name string, configure func(*scope, *oslo.File, int), takes []string) {
	switch {
	case store.RBD != nil:
		return "rbd", rbd, []string{"rados_connect_timeout", "rbd_store_chunk_size", "rbd_thin_provisioning"}
	case store.S3 != nil:
		return "s3", objects, []string{"s3_store_create_bucket_on_put", "s3_store_large_object_chunk_size",
			"s3_store_large_object_size", "s3_store_thread_pools"}
	case store.Swift != nil:
		return "swift", container, []string{"swift_store_create_container_on_put", "swift_store_expire_soon_interval",
			"swift_store_large_object_chunk_size", "swift_store_large_object_size", "swift_store_multiple_containers_seed",
			"swift_store_retry_get_count", "swift_store_service_type"}
	}
	return "file", func(_ *scope, f *oslo.File, _ int) {
		f.Set(store.Name, "filesystem_store_datadir", folder(store)+"/images")
	}, []string{"filesystem_store_chunk_size", "filesystem_store_file_perm", "filesystem_thin_provisioning"}
}

// sections of stores take options of their drivers, and those that every store has (glance_store/driver.py,
// _MULTI_BACKEND_OPTS).
func sections(g *glance) map[string]oslo.Section {
	every := map[string]catalogue.Option{
		"store_description": {Type: catalogue.Type{Kind: catalogue.KindString}},
		"weight":            {Type: catalogue.Type{Kind: catalogue.KindInteger}},
	}
	out := map[string]oslo.Section{}
	for _, store := range g.Spec.Stores {
		_, _, takes := driver(store)
		out[store.Name] = oslo.Section{Like: "glance_store", Only: takes, Beside: every}
	}
	return out
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
	if len(files(s.Owner())) == 0 {
		out[stageModuleName+".py"] = stageModule
	}
	return out, nil
}
