package service

import "stackwright.dev/stackwright/internal/service/oslo"

// KeyUser is the section by which a service vouches for its users to the key manager. Castellan, the library that asks
// it, has sections of its own for that, see key_manager/barbican_key_manager.py of castellan 5.2. It asks as the user
// whose request it is, and finds the key manager in the catalog that came with the user's token: so a service needs no
// word whether there is one, and one that comes later is found.
const KeyUser = "barbican_service_user"

// keyManager says how the key manager is found and known, as KeyUser knows Keystone. Barbican is castellan's default.
func keyManager(f *oslo.File, region string) {
	const section = "barbican"
	f.Set(section, "barbican_endpoint_type", Internal)
	f.Set(section, "barbican_region_name", region)
	f.Set(section, "send_service_user_token", true)
	// Requests to Keystone for the service's token are in the same session, and its authority is all that they know.
	for option, from := range map[string]string{"auth_endpoint": "auth_url", "verify_ssl_path": "cafile"} {
		if value, ok := f.Value(KeyUser, from); ok {
			f.Set(section, option, value)
		}
	}
}
