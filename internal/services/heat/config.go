package heat

import (
	servicev1 "stackwright.dev/stackwright/api/service/v1alpha1"
	"stackwright.dev/stackwright/internal/service"
	"stackwright.dev/stackwright/internal/service/oslo"
)

const home = "/var/lib/heat"

// options sets what differs from upstream's defaults.
func options(s *scope, f *oslo.File) {
	h := s.Owner()
	f.Set(oslo.Default, keyOption, oslo.Literal(s.Value(refKey, keyOption)))
	// More engines are more pods.
	f.Set(oslo.Default, "num_engine_workers", 1)
	f.Set(oslo.Default, "stack_user_domain_name", h.Spec.Domain)
	f.Set(oslo.Default, "stack_domain_admin", admin)
	f.Set(oslo.Default, "stack_domain_admin_password", oslo.Literal(s.Value(refAdmin, service.KeyPassword)))
	f.Set("clients", "endpoint_type", "internalURL")
	// Servers are told Keystone's address, too, to answer as a user of their stack; unset it is www_authenticate_uri or,
	// for want of that, the one inside of the cluster.
	f.Set(oslo.Default, "server_keystone_endpoint_type", "public")
	// It is how servers of stacks find Heat, which the catalog tells.
	f.Set("clients_heat", "endpoint_type", "publicURL")
	if k, ok := s.Get(service.RefKeystone).(*servicev1.Keystone); ok {
		f.Set(oslo.Default, "region_name_for_services", k.Spec.Region)
		f.Set("clients_keystone", "auth_uri", k.Status.Endpoints.Internal)
	}
	f.Set("oslo_concurrency", "lock_path", home+"/lock")
	trust(f)
	if h.Spec.Notifications {
		service.Notify(f)
	}
}

// trust says as whom Heat acts for users who are away: as its own user, in no project of it. It also says by which
// authority Keystone and the others are known.
func trust(f *oslo.File) {
	const from, to = "keystone_authtoken", "trustee"
	for _, option := range []string{"auth_type", "auth_url", "username", "password", "user_domain_name"} {
		if value, ok := f.Value(from, option); ok {
			f.Set(to, option, value)
		}
	}
	if ca, ok := f.Value(from, "cafile"); ok {
		f.Set("clients", "ca_file", ca)
		f.Set("ec2authtoken", "ca_file", ca)
	}
}
