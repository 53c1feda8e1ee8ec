package glance

import (
	"bytes"
	"cmp"
	_ "embed"
	"fmt"
	"slices"
	"strings"

	servicev1 "stackwright.dev/stackwright/api/service/v1alpha1"
	"stackwright.dev/stackwright/internal/service"
	"stackwright.dev/stackwright/internal/service/oslo"
)

// swiftModule is imported by the program that runs the API.
//
//go:embed swift.py
var swiftModule []byte

// swiftModuleName is by what it is imported.
const swiftModuleName = "stackwright_swift"

// Keys of the Secret of a store in a Swift, by the names that the driver has for them.
const (
	keyUser = "user"
	keyKey  = "key"
)

// account is what a Swift knows Glance by, and Glance the Swift.
type account struct{ user, key, authority []byte }

// swiftAccount makes sense of the Secret of the store at a place of the list.
func swiftAccount(s *scope, i int) (account, error) {
	store, content := s.Owner().Spec.Stores[i], s.Content(refSecret(i))
	a := account{bytes.TrimSpace(content[keyUser]), bytes.TrimSpace(content[keyKey]), content[keyAuthority]}
	keystone := store.Swift.AuthVersion != 1
	switch {
	case content == nil:
		// The step waits for the Secret.
		return account{}, s.Err()
	case len(a.user) == 0 && keystone:
		return account{}, invalidSecret(store, "has no "+keyUser+"; add PROJECT:USER, by the names that Keystone knows")
	case len(a.user) == 0:
		return account{}, invalidSecret(store, "has no "+keyUser+"; add it as Swift knows it, such as ACCOUNT:USER")
	case keystone && !projectAndUser(a.user):
		return account{}, invalidSecret(store, "has a "+keyUser+" that is not PROJECT:USER; "+
			"write the names of both with one colon between, and their domains into userDomain and projectDomain")
	case len(a.key) == 0:
		return account{}, invalidSecret(store, "has no "+keyKey+"; add the password of its "+keyUser)
	case bytes.ContainsAny(slices.Concat(a.user, a.key), "\r\n"):
		return account{}, invalidSecret(store, "has something of several lines; write "+keyUser+" and "+keyKey+" in one each")
	}
	return a, checkAuthority(store, a.authority)
}

// projectAndUser tells whether these are two names, which the driver parts at the only colon.
func projectAndUser(user []byte) bool {
	project, name, found := bytes.Cut(user, []byte(":"))
	return found && len(project) > 0 && len(name) > 0 && !bytes.Contains(name, []byte(":"))
}

// container is a store in a Swift. User and password are in a file of their own: then the address of an image, which is
// in the database, names the store and not them.
func container(s *scope, f *oslo.File, i int) {
	store := s.Owner().Spec.Stores[i]
	f.Set(store.Name, "swift_store_config_file", service.Folder+"/config/"+accountFile(store.Name))
	f.Set(store.Name, "default_swift_reference", store.Name)
	f.Set(store.Name, "swift_store_container", store.Swift.Container)
	if region := store.Swift.Region; region != "" {
		f.Set(store.Name, "swift_store_region", region)
	}
	if which := store.Swift.Interface; which != "" {
		f.Set(store.Name, "swift_store_endpoint_type", which+"URL")
	}
	// What is wrong with the Secret is told by keys.
	if a, err := swiftAccount(s, i); err == nil && len(a.authority) > 0 {
		f.Set(store.Name, "swift_store_cacert", service.Folder+"/config/"+swiftAuthorityFile(store.Name))
	}
}

// accountFile tells the driver who it is, swiftAuthorityFile by what it knows the others.
func accountFile(store string) string        { return "swift-" + store + ".conf" }
func swiftAuthorityFile(store string) string { return "swift-" + store + "-ca.crt" }

// files are those that a store reads, to lie beside the configuration.
func (a account) files(store servicev1.ImageStore) map[string][]byte {
	out := map[string][]byte{accountFile(store.Name): a.file(store), swiftModuleName + ".py": swiftModule}
	if len(a.authority) > 0 {
		out[swiftAuthorityFile(store.Name)] = a.authority
	}
	return out
}

// file is in the format of Python's configparser, which replaces what follows a percent sign; the driver takes quotes
// away. It has all sections of all such files in one, so the section has the store's name.
func (a account) file(store servicev1.ImageStore) []byte {
	var b bytes.Buffer
	fmt.Fprintf(&b, "[%s]\n", store.Name)
	set := func(option, value string) {
		if value != "" {
			fmt.Fprintf(&b, "%s = \"%s\"\n", option, strings.ReplaceAll(value, "%", "%%"))
		}
	}
	set("auth_version", fmt.Sprint(cmp.Or(store.Swift.AuthVersion, 3)))
	set("auth_address", strings.TrimSuffix(store.Swift.AuthURL, "/"))
	set("user", string(a.user))
	set("key", string(a.key))
	set("user_domain_name", store.Swift.UserDomain)
	set("project_domain_name", store.Swift.ProjectDomain)
	return b.Bytes()
}
