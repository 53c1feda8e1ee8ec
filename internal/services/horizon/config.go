package horizon

import (
	"encoding/json"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"

	"stackwright.dev/kit/outcome"

	infrav1 "stackwright.dev/stackwright/api/infra/v1alpha1"
	servicev1 "stackwright.dev/stackwright/api/service/v1alpha1"
	"stackwright.dev/stackwright/internal/service"
)

// settingsFile is read by the settings module.
const settingsFile = "horizon.json"

// given is what settingsFile has.
type given struct {
	// Hosts are the names by which browsers come.
	Hosts []string `json:"hosts"`
	// Memcached is where sessions are.
	Memcached cache `json:"memcached"`
	// Services are those whose policies are read.
	Services []string `json:"services"`
	// Settings win over those of Horizon.
	Settings map[string]any `json:"settings"`
}

type cache struct {
	Servers []string `json:"servers"`
	// CA is the file of the authority of the servers; empty without TLS. Cert and Key are those of the client.
	CA   string `json:"ca"`
	Cert string `json:"cert"`
	Key  string `json:"key"`
}

// pictures are the names of those that can be replaced.
var pictures = []string{"apple-touch-icon.png", "favicon.ico", "logo-splash.svg", "logo.svg", "safari-pinned-tab.svg"}

// settings makes settingsFile.
func settings(s api) func(*scope) (map[string][]byte, error) {
	return func(sc *scope) (map[string][]byte, error) {
		h := sc.Owner()
		if err := refuse(sc); err != nil {
			return nil, err
		}
		all := given{Hosts: s.Hosts(sc), Services: []string{"keystone"}, Settings: own(s, sc)}
		if m, ok := sc.Get(service.RefMemcached).(*infrav1.Memcached); ok {
			all.Memcached.Servers = m.Status.Servers
			if m.Status.ClientSecret != "" {
				const folder = service.Folder + "/memcached"
				all.Memcached.CA, all.Memcached.Cert, all.Memcached.Key =
					folder+"/ca.crt", folder+"/tls.crt", folder+"/tls.key"
			}
		}
		for _, name := range h.Spec.Services {
			all.Services = append(all.Services, string(name))
		}
		slices.Sort(all.Services)
		for name, value := range h.Spec.Settings {
			all.Settings[name] = value
		}
		text, err := json.MarshalIndent(all, "", "  ")
		if err != nil {
			return nil, fmt.Errorf("encoding the settings: %w", err)
		}
		return map[string][]byte{settingsFile: append(text, '\n')}, nil
	}
}

// own are the settings that the operator gives.
func own(s api, sc *scope) map[string]any {
	h, public := sc.Owner(), s.Endpoints(sc).Public
	secure := strings.HasPrefix(public, "https://")
	out := map[string]any{
		"SECRET_KEY":              sc.Value(refKey, service.KeyPassword),
		"OPENSTACK_ENDPOINT_TYPE": "internalURL",
		"SESSION_COOKIE_SECURE":   secure,
		"CSRF_COOKIE_SECURE":      secure,
	}
	if public != "" {
		// What a Gateway decrypts, Horizon takes for plain, and then browsers seem to come from elsewhere.
		out["CSRF_TRUSTED_ORIGINS"] = []string{public}
	}
	if k, ok := sc.Get(service.RefKeystone).(*servicev1.Keystone); ok {
		out["OPENSTACK_KEYSTONE_URL"] = k.Status.Endpoints.Internal
	}
	if file := service.Authority(sc); file != "" {
		out["OPENSTACK_SSL_CACERT"] = file
	}
	if b := h.Spec.Branding; b.SiteTitle != "" {
		out["SITE_BRANDING"] = b.SiteTitle
	}
	if b := h.Spec.Branding; b.SiteLink != "" {
		out["SITE_BRANDING_LINK"] = b.SiteLink
	}
	return out
}

// settingName is how settings are called; Django does not look at others.
var settingName = regexp.MustCompile(`^[A-Z][A-Z0-9_]*$`)

// taken are settings that nobody else gives, with what to do instead.
func taken() map[string]string {
	const (
		image = "the image has style sheets and scripts for its own value; make an image with another one"
		tls   = "it follows spec.tls and spec.expose; set these"
	)
	return map[string]string{
		"ALLOWED_HOSTS":         "set spec.expose.hostname",
		"CSRF_TRUSTED_ORIGINS":  "set spec.expose.hostname",
		"CSRF_COOKIE_SECURE":    tls,
		"SESSION_COOKIE_SECURE": tls,
		"OPENSTACK_SSL_CACERT":  "leave it out: it is the authority of spec.keystone",
		// Whoever is between would get the passwords of all users.
		"OPENSTACK_SSL_NO_VERIFY": "leave it out: services are known by the authority of spec.keystone",
		"OPENSTACK_KEYSTONE_URL":  "set spec.keystone",
		"CACHES":                  "set spec.memcached",
		"SESSION_ENGINE":          "leave it out: sessions are in spec.memcached",
		"SECRET_KEY":              "delete the Secret that has it, and there is a new one",
		// It shows its configuration to everybody who comes.
		"DEBUG":              "read the log of the pods",
		"SITE_BRANDING":      "set spec.branding.siteTitle",
		"SITE_BRANDING_LINK": "set spec.branding.siteLink",
		"AVAILABLE_THEMES":   image,
		"COMPRESS_ENABLED":   image,
		"COMPRESS_OFFLINE":   image,
		"INSTALLED_APPS":     image,
		"STATIC_ROOT":        image,
		"STATIC_URL":         image,
		"WEBROOT":            image,
	}
}

// refuse looks at what a person asks for before any pod changes.
func refuse(sc *scope) error {
	for _, name := range slices.Sorted(maps.Keys(sc.Owner().Spec.Settings)) {
		if !settingName.MatchString(name) {
			return refused("spec.settings: %s is no name of a setting; write one with capital letters, digits and "+
				"underscores, as SESSION_TIMEOUT", name)
		}
		if instead := taken()[name]; instead != "" {
			return refused("spec.settings: %s is given by the operator: %s", name, instead)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(sc.Content(refLogos))) {
		if !slices.Contains(pictures, name) {
			return refused("spec.branding.logos: ConfigMap %s has %s, which no page shows; name it as one of those "+
				"that are shown: %s",
				sc.Owner().Spec.Branding.Logos, name, strings.Join(pictures, ", "))
		}
	}
	return nil
}

func refused(format string, args ...any) error {
	return &outcome.Error{Class: outcome.Invalid, Reason: "InvalidConfig", Err: fmt.Errorf(format, args...)}
}
