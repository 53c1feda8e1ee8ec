package glance

import (
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
	for _, store := range g.Spec.Stores {
		backends = append(backends, store.Name+":file")
		f.Set(store.Name, "filesystem_store_datadir", folder(store)+"/images")
	}
	f.Set(oslo.Default, "enabled_backends", strings.Join(backends, ","))
	f.Set("glance_store", "default_backend", g.Spec.Stores[0].Name)
	// What is staged is imported by any pod, so it is on the volume that all pods have.
	f.Set("os_glance_staging_store", "filesystem_store_datadir", folder(g.Spec.Stores[0])+"/staging")
	f.Set("os_glance_tasks_store", "filesystem_store_datadir", folder(g.Spec.Stores[0])+"/tasks")
	f.Set("paste_deploy", "flavor", "keystone")
	f.Set("paste_deploy", "config_file", "/etc/glance/glance-api-paste.ini")
	if g.Spec.RabbitMQ != "" {
		service.Notify(f)
	}
}

// storeOptions can be set in the section of a store, which has the store's name.
func storeOptions() []string {
	return []string{"filesystem_store_chunk_size", "filesystem_store_file_perm", "filesystem_thin_provisioning",
		"store_description", "weight"}
}
