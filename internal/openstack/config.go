package openstack

import (
	"cmp"
	"encoding/json"
	"maps"
	"net/url"
	"regexp"
	"slices"
	"strings"

	"github.com/gophercloud/gophercloud/v2"
	"github.com/gophercloud/gophercloud/v2/openstack/config/clouds"
	"go.yaml.in/yaml/v3"
)

// Config says which cloud to open and as whom: one entry of a clouds.yaml and what its user adds.
type Config struct {
	// Clouds is the content of a clouds.yaml.
	Clouds []byte
	// Entry is the name of the cloud in it; it may be empty when there is exactly one.
	Entry string
	// CA are certificates in PEM that are trusted besides those of the system.
	CA []byte
	// Region and Interface override what the entry says.
	Region, Interface string
	// Limits say what each service is asked to do at most.
	Limits Limits
}

// entry is a Config that was found to be right.
type entry struct {
	name     string
	authURL  string
	host     string
	body     []byte
	secrets  []string
	region   string
	face     string
	ca       []byte
	insecure bool
	limits   Limits
}

// parse checks the configuration. Messages never quote values, because anything may be a password in the wrong place.
func (c Config) parse(allowInsecure bool) (*entry, error) {
	name, cloud, err := c.pick()
	if err != nil {
		return nil, err
	}
	e := &entry{name: name, ca: c.CA, insecure: cloud.Verify != nil && !*cloud.Verify}
	e.region = cmp.Or(c.Region, cloud.RegionName, firstRegion(cloud.Regions))
	if err := c.usable(name, cloud); err != nil {
		return nil, err
	}
	if e.insecure && !allowInsecure {
		return nil, refuse("cloud %q says verify: false, which is not allowed here; give its CA instead", name)
	}
	if e.limits, err = c.Limits.canonical(); err != nil {
		return nil, err
	}
	if e.face, err = interfaceOf(cmp.Or(c.Interface, cloud.EndpointType, cloud.Interface)); err != nil {
		return nil, err
	}
	if e.authURL, e.host, err = authURL(name, cloud.AuthInfo.AuthURL); err != nil {
		return nil, err
	}
	if e.body, err = authBody(name, cloud); err != nil {
		return nil, err
	}
	e.secrets = []string{cloud.AuthInfo.Password, cloud.AuthInfo.Token, cloud.AuthInfo.ApplicationCredentialSecret}
	return e, nil
}

// pick finds the entry.
func (c Config) pick() (string, *clouds.Cloud, error) {
	var file clouds.Clouds
	if err := yaml.Unmarshal(c.Clouds, &file); err != nil {
		return "", nil, refuse("clouds.yaml cannot be read%s; write it in the form `clouds: {NAME: {auth: {auth_url: ...}}}`",
			where(err))
	}
	names := slices.Sorted(maps.Keys(file.Clouds))
	name := c.Entry
	switch {
	case len(names) == 0:
		return "", nil, refuse("clouds.yaml has no clouds; add one below the key `clouds`")
	case name == "" && len(names) > 1:
		return "", nil, refuse("clouds.yaml has several clouds and none was chosen; name one of %s",
			strings.Join(names, ", "))
	case name == "":
		name = names[0]
	}
	cloud, ok := file.Clouds[name]
	if !ok {
		return "", nil, refuse("clouds.yaml has no cloud %q; choose one of %s", name, strings.Join(names, ", "))
	}
	return name, &cloud, nil
}

var lineNumber = regexp.MustCompile(`line \d+`)

// where keeps the line number of an error of the YAML parser; the rest quotes the content.
func where(err error) string {
	if l := lineNumber.FindString(err.Error()); l != "" {
		return " near " + l
	}
	return ""
}

// usable refuses what would need a file, or a version of Keystone that is gone.
func (c Config) usable(name string, cloud *clouds.Cloud) error {
	for _, f := range []struct{ key, value string }{
		{"cacert", cloud.CACertFile}, {"cert", cloud.ClientCertFile}, {"key", cloud.ClientKeyFile},
	} {
		// Who gives the CA as content may keep the path that other clients of the same clouds.yaml need.
		if f.value != "" && (f.key != "cacert" || len(c.CA) == 0) {
			return refuse("cloud %q names a file in %s, and files are not read; remove it, and give a CA as content beside "+
				"clouds.yaml", name, f.key)
		}
	}
	switch {
	case cloud.Profile != "" || cloud.Cloud != "":
		return refuse("cloud %q takes its settings from a profile, which is a file; write out auth_url instead", name)
	case cloud.AuthInfo == nil || cloud.AuthInfo.AuthURL == "":
		return refuse("cloud %q has no auth.auth_url; add the address of its Keystone", name)
	case strings.HasPrefix(cloud.IdentityAPIVersion, "2"), strings.HasPrefix(string(cloud.AuthType), "v2"):
		return refuse("cloud %q wants version 2 of Keystone's API, which ended with Queens; use version 3", name)
	}
	return nil
}

func firstRegion(list []clouds.Region) string {
	if len(list) == 0 {
		return ""
	}
	return list[0].Name
}

func interfaceOf(name string) (string, error) {
	switch short := strings.TrimSuffix(name, "URL"); short {
	case "":
		return "public", nil
	case "public", "internal", "admin":
		return short, nil
	}
	return "", refuse("there is no interface %q; use public, internal or admin", name)
}

// authURL returns the address of version 3 of the API, and its host. Version discovery is not asked for it: the
// documents of many clouds name addresses that only they themselves can reach.
func authURL(name, text string) (address, host string, err error) {
	const form = "; write it like https://keystone.example.com/v3"
	u, err := url.Parse(text)
	if err != nil || u.Host == "" || (u.Scheme != "http" && u.Scheme != "https") {
		return "", "", refuse("auth_url of cloud %q is not an http or https URL"+form, name)
	}
	if u.User != nil || u.RawQuery != "" {
		return "", "", refuse("auth_url of cloud %q has more than an address"+form, name)
	}
	path := strings.TrimRight(u.Path, "/")
	if strings.HasSuffix(path, "/v2.0") {
		return "", "", refuse("auth_url of cloud %q is version 2 of Keystone's API, which ended with Queens"+form, name)
	}
	u.Path, u.RawPath, u.Fragment = strings.TrimSuffix(path, "/v3")+"/v3", "", ""
	return u.String(), u.Host, nil
}

// authBody is what is sent to Keystone for a token.
func authBody(name string, c *clouds.Cloud) ([]byte, error) {
	options, err := authOptions(name, c)
	if err != nil {
		return nil, err
	}
	scope, err := options.ToTokenV3ScopeMap()
	if err != nil {
		return nil, refuse("the project of cloud %q is not clear: %v; correct it", name, err)
	}
	body, err := options.ToTokenV3CreateMap(scope)
	if err != nil {
		return nil, refuse("the credential of cloud %q is not complete: %v; correct it", name, err)
	}
	return json.Marshal(body)
}

// authOptions keeps of an entry what its kind of credential uses. gophercloud's own reader of clouds.yaml is not
// used: it lets variables and files of the process in, panics on an entry without auth, ignores auth_type, and
// prefers domain_id to user_domain_name.
func authOptions(name string, c *clouds.Cloud) (*gophercloud.AuthOptions, error) {
	a := c.AuthInfo
	o := &gophercloud.AuthOptions{Scope: scopeOf(a)}
	switch method(c) {
	case "password", "v3password":
		o.Password = a.Password
		setUser(o, a)
	case "token", "v3token":
		o.TokenID = a.Token
	case "v3applicationcredential":
		o.ApplicationCredentialID, o.ApplicationCredentialName = a.ApplicationCredentialID, a.ApplicationCredentialName
		o.ApplicationCredentialSecret = a.ApplicationCredentialSecret
		setUser(o, a)
	default:
		return nil, refuse("auth_type of cloud %q is not known; use password, token or v3applicationcredential", name)
	}
	return o, nil
}

// method is the kind of credential, guessed when the entry does not say.
func method(c *clouds.Cloud) string {
	switch {
	case c.AuthType != "":
		return string(c.AuthType)
	case c.AuthInfo.Password == "" && c.AuthInfo.ApplicationCredentialSecret != "":
		return "v3applicationcredential"
	case c.AuthInfo.Password == "" && c.AuthInfo.Token != "":
		return "token"
	}
	return "password"
}

func setUser(o *gophercloud.AuthOptions, a *clouds.AuthInfo) {
	if a.UserID != "" {
		o.UserID = a.UserID
		return
	}
	o.Username = a.Username
	o.DomainID, o.DomainName = domain(a, a.UserDomainID, a.UserDomainName)
}

// domain prefers the domain that is meant for the purpose, then that of the entry; of id and name only one is kept.
func domain(a *clouds.AuthInfo, id, name string) (string, string) {
	for _, d := range [][2]string{{id, name}, {a.DomainID, a.DomainName}, {a.DefaultDomain, ""}} {
		if d[0] != "" {
			return d[0], ""
		}
		if d[1] != "" {
			return "", d[1]
		}
	}
	return "", ""
}

func scopeOf(a *clouds.AuthInfo) *gophercloud.AuthScope {
	s := &gophercloud.AuthScope{}
	switch {
	case a.TrustID != "":
		s.TrustID = a.TrustID
	case a.SystemScope != "":
		s.System = true
	case a.ProjectID != "":
		s.ProjectID = a.ProjectID
	case a.ProjectName != "":
		s.ProjectName = a.ProjectName
		s.DomainID, s.DomainName = domain(a, a.ProjectDomainID, a.ProjectDomainName)
	default:
		s.DomainID, s.DomainName = domain(&clouds.AuthInfo{}, a.DomainID, a.DomainName)
	}
	return s
}
