package openstack

import (
	"context"
	"encoding/json"
	"maps"
	"net/url"
	"slices"
	"strings"
	"time"
)

// catalog is the list of services in a token.
type catalog []offer

type offer struct {
	Type      string     `json:"type"`
	Endpoints []endpoint `json:"endpoints"`
}

type endpoint struct {
	Interface string `json:"interface"`
	Region    string `json:"region"`
	RegionID  string `json:"region_id"`
	URL       string `json:"url"`
}

func (e endpoint) in(region string) bool {
	return region == "" || e.Region == region || e.RegionID == region
}

// regions returns the regions of all endpoints, sorted.
func (c catalog) regions() []string {
	found := map[string]bool{}
	for _, s := range c {
		for _, e := range s.Endpoints {
			found[e.Region] = true
		}
	}
	return slices.Sorted(maps.Keys(found))
}

// services returns the official types of what can be reached in a region by an interface, sorted.
func (c catalog) services(region, face string) []string {
	found := map[string]bool{}
	for _, s := range c {
		if slices.ContainsFunc(s.Endpoints, func(e endpoint) bool { return e.Interface == face && e.in(region) }) {
			found[official(s.Type)] = true
		}
	}
	return slices.Sorted(maps.Keys(found))
}

// has tells whether anything is offered in a region.
func (c catalog) has(region string) bool {
	return slices.ContainsFunc(c, func(o offer) bool {
		return slices.ContainsFunc(o.Endpoints, func(x endpoint) bool { return x.in(region) })
	})
}

// check refuses what no request could work with.
func (c catalog) check(e *entry) error {
	if len(c) == 0 {
		return refuse("the token for cloud %q has no services, so it is for no project; add project_id, or "+
			"project_name with its domain, to the entry", e.name)
	}
	if !c.has(e.region) {
		return refuse("cloud %q has no region %q; choose one of %s", e.name, e.region, strings.Join(c.regions(), ", "))
	}
	return nil
}

// find returns the endpoints of the best type under which the catalog has a service.
func (c catalog) find(name string, e *entry) []endpoint {
	for _, typ := range types(name) {
		var found []endpoint
		for _, o := range c {
			for _, x := range o.Endpoints {
				if o.Type == typ && x.Interface == e.face && x.in(e.region) {
					found = append(found, x)
				}
			}
		}
		if len(found) > 0 {
			return found
		}
	}
	return nil
}

// services returns the catalog of the token.
func (t *token) services() catalog {
	if c := t.catalog.Load(); c != nil {
		return *c
	}
	return nil
}

// locate finds the address of a service.
func (t *token) locate(name string, e *entry) (*url.URL, error) {
	found := t.services().find(name, e)
	if len(found) == 0 {
		return nil, t.absent(name, e)
	}
	first := found[0]
	// Keystone is often listed in each region under the one address it has.
	if slices.ContainsFunc(found, func(x endpoint) bool { return x.URL != first.URL && x.Region != first.Region }) {
		return nil, refuse("cloud %q has service %s in several regions; set region_name to one of %s",
			e.name, name, strings.Join(t.services().regions(), ", "))
	}
	return base(name, first.URL, t.project)
}

// absent is not of class NotFound, which is about objects, and not Invalid: the service may be added any time.
func (t *token) absent(name string, e *entry) error {
	in := ""
	if e.region != "" {
		in = " in region " + e.region
	}
	return &Fault{Class: Unavailable, Service: name, Message: "the catalog of cloud " + e.name + " has no " + e.face +
		" endpoint of service " + name + in + "; add it to those that there are: " +
		strings.Join(t.services().services(e.region, e.face), ", ")}
}

// rereadAfter is how old a catalog has to be before it is read again in search of a service. Objects wait for one that
// is just being added, and what asks in vain comes back ever more rarely.
const rereadAfter = 10 * time.Second

// locate finds the address of a service. When the catalog does not have it, it is read again: services are added
// while tokens live.
func (s *Session) locate(ctx context.Context, t *token, service string) (*url.URL, error) {
	address, err := t.locate(service, s.entry)
	if ClassOf(err) != Unavailable || service == identity || !s.rereads(t) {
		return address, err
	}
	res, failure := s.Do(ctx, Request{Service: identity, Path: "auth/catalog", Owner: s.owner})
	if failure != nil {
		return nil, err
	}
	var body struct {
		Catalog catalog `json:"catalog"`
	}
	if json.Unmarshal(res.Body, &body) == nil && len(body.Catalog) > 0 {
		t.catalog.Store(&body.Catalog)
	}
	return t.locate(service, s.entry)
}

// rereads tells whether to read the catalog again, and notes that it is done.
func (s *Session) rereads(t *token) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if time.Since(t.looked) < rereadAfter {
		return false
	}
	t.looked = time.Now()
	return true
}
