package hypervisor

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"stackwright.dev/stackwright/internal/openstack"
	"stackwright.dev/stackwright/internal/resources"
)

// Services, and the microversions that are spoken. From 2.88 on Nova asks each host for its uptime when it lists them,
// and waits a minute for one that is down.
const (
	compute          = "compute"
	computeVersion   = "2.75"
	placement        = "placement"
	placementVersion = "1.6"
)

// machine is a host as os-hypervisors shows it. Nova leaves those out that no mapping leads to: it looks for the
// service of each in the cell that the host is mapped to (target_host_cell of HostAPI.service_get_by_compute_host in
// nova/compute/api.py), and skips it on HostMappingNotFound (HypervisorsController._get_hypervisors in
// nova/api/openstack/compute/hypervisors.py). So a host that is listed is mapped.
type machine struct {
	ID      string `json:"id"`
	Type    string `json:"hypervisor_type"`
	Version int    `json:"hypervisor_version"`
	Service struct {
		Host string `json:"host"`
	} `json:"service"`
	Servers []server `json:"servers"`
}

// server is one on a host.
type server struct {
	ID   string `json:"uuid"`
	Name string `json:"name"`
}

// agent is nova-compute of a host as os-services shows it. It is there before the host is mapped. When the database of
// a cell does not answer, its mapped hosts are listed with a name and the status UNKNOWN, and others not at all
// (_service_get_all_cells in nova/compute/api.py, _get_service_detail in nova/api/openstack/compute/services.py).
type agent struct {
	ID     string `json:"id"`
	Host   string `json:"host"`
	Zone   string `json:"zone"`
	State  string `json:"state"`
	Status string `json:"status"`
	Reason string `json:"disabled_reason"`
}

func (a agent) up() bool       { return a.State == "up" }
func (a agent) disabled() bool { return a.Status == "disabled" }
func (a agent) unknown() bool  { return a.Status == "UNKNOWN" }

// aggregate is one of os-aggregates.
type aggregate struct {
	Name  string   `json:"name"`
	Hosts []string `json:"hosts"`
}

// provider is a resource provider. Its generation changes with what it has, and with what is promised of it.
type provider struct {
	ID         string `json:"uuid"`
	Generation int64  `json:"generation"`
}

// api asks Nova and Placement of one cloud.
type api struct {
	resources.Door
	lane  openstack.Lane
	owner string
}

// do sends a request and reads the answer into out, unless that is nil.
func (a api) do(ctx context.Context, r openstack.Request, out any) error {
	r.Lane, r.Owner = a.lane, a.owner
	if r.Microversion = computeVersion; r.Service == placement {
		r.Microversion = placementVersion
	}
	var failed error
	r.Take = func(answer []byte) {
		if out != nil {
			failed = json.Unmarshal(answer, out)
		}
	}
	if _, err := a.Do(ctx, r); err != nil {
		return err
	}
	if failed != nil {
		return fmt.Errorf("reading the answer of %s about %s: %w", r.Service, r.Path, failed)
	}
	return nil
}

func (a api) get(ctx context.Context, service, path string, query url.Values, out any) error {
	return a.do(ctx, openstack.Request{Service: service, Path: path, Query: query}, out)
}

// maxPages ends a list whose pages never end.
const maxPages = 1000

// machines are all hosts that are mapped, with the servers on them, those that are down, too.
func (a api) machines(ctx context.Context) ([]machine, error) {
	var out []machine
	query := url.Values{"with_servers": {"true"}}
	for range maxPages {
		var page struct {
			Hypervisors []machine `json:"hypervisors"`
			Links       []struct {
				Rel  string `json:"rel"`
				Href string `json:"href"`
			} `json:"hypervisors_links"`
		}
		if err := a.get(ctx, compute, "os-hypervisors/detail", query, &page); err != nil {
			return nil, err
		}
		out = append(out, page.Hypervisors...)
		next := ""
		for _, l := range page.Links {
			if u, err := url.Parse(l.Href); err == nil && l.Rel == "next" {
				next = u.Query().Get("marker")
			}
		}
		if next == "" {
			return out, nil
		}
		query.Set("marker", next)
	}
	return nil, fmt.Errorf("listing hypervisors: there are more than %d pages", maxPages)
}

// machine is one host with the servers on it. Nova looks for it in one cell after the other, and answers 500 when it
// comes to one that does not answer before it finds it (compute_node_get in nova/compute/api.py).
func (a api) machine(ctx context.Context, id string) (machine, error) {
	var out struct {
		Hypervisor machine `json:"hypervisor"`
	}
	err := a.get(ctx, compute, "os-hypervisors/"+url.PathEscape(id), url.Values{"with_servers": {"true"}}, &out)
	return out.Hypervisor, err
}

func (a api) agents(ctx context.Context) ([]agent, error) {
	var out struct {
		Services []agent `json:"services"`
	}
	err := a.get(ctx, compute, "os-services", url.Values{"binary": {"nova-compute"}}, &out)
	return out.Services, err
}

func (a api) aggregates(ctx context.Context) ([]aggregate, error) {
	var out struct {
		Aggregates []aggregate `json:"aggregates"`
	}
	err := a.get(ctx, compute, "os-aggregates", nil, &out)
	return out.Aggregates, err
}

func (a api) providers(ctx context.Context) ([]provider, error) {
	var out struct {
		Providers []provider `json:"resource_providers"`
	}
	err := a.get(ctx, placement, "resource_providers", nil, &out)
	return out.Providers, err
}

// inventory is how much of a class a provider has.
type inventory struct {
	Total    int64       `json:"total"`
	Reserved int64       `json:"reserved"`
	Ratio    json.Number `json:"allocation_ratio"`
}

// room is what Placement knows of one provider.
type room struct {
	inventories map[string]inventory
	usages      map[string]int64
	traits      []string
}

func (a api) room(ctx context.Context, id string) (r room, err error) {
	at := "resource_providers/" + url.PathEscape(id)
	var inventories struct {
		Inventories map[string]inventory `json:"inventories"`
	}
	if err := a.get(ctx, placement, at+"/inventories", nil, &inventories); err != nil {
		return room{}, err
	}
	traits, err := a.traits(ctx, id)
	if err != nil {
		return room{}, err
	}
	r.inventories, r.traits = inventories.Inventories, traits.Traits
	r.usages, err = a.usages(ctx, id)
	return r, err
}

func (a api) usages(ctx context.Context, id string) (map[string]int64, error) {
	var out struct {
		Usages map[string]int64 `json:"usages"`
	}
	err := a.get(ctx, placement, "resource_providers/"+url.PathEscape(id)+"/usages", nil, &out)
	return out.Usages, err
}

// told is how many servers of a host are named.
const told = 5

// named are the servers of a host for people, by name and id. A host that is listed has them by the names that libvirt
// knows, which serve where those that people gave cannot be had.
func (a api) named(ctx context.Context, m machine) string {
	var page struct {
		Servers []struct {
			ID   string `json:"id"`
			Name string `json:"name"`
		} `json:"servers"`
	}
	query := url.Values{"all_tenants": {"true"}, "host": {m.Service.Host}, "limit": {strconv.Itoa(told)}}
	err := a.get(ctx, compute, "servers", query, &page)
	var out []string
	for _, s := range page.Servers {
		out = append(out, s.Name+" "+s.ID)
	}
	if err != nil || len(out) == 0 {
		out = nil
		for _, s := range m.Servers {
			out = append(out, s.Name+" "+s.ID)
		}
	}
	slices.Sort(out)
	if out = out[:min(len(out), told)]; len(out) < len(m.Servers) {
		out = append(out, "and others")
	}
	return strings.Join(out, ", ")
}

// disable closes a host to new servers; with an empty reason it opens it again.
func (a api) disable(ctx context.Context, service, reason string) error {
	body := map[string]string{"status": "enabled"}
	if reason != "" {
		body = map[string]string{"status": "disabled", "disabled_reason": reason}
	}
	return a.do(ctx, openstack.Request{Service: compute, Method: http.MethodPut,
		Path: "os-services/" + url.PathEscape(service), Body: body}, nil)
}

// remove takes nova-compute off Nova's books, and with it the host's mapping, aggregates and provider. Nova refuses it
// with 409 while servers, or migrations under way, are on the host.
func (a api) remove(ctx context.Context, service string) error {
	return a.do(ctx, openstack.Request{Service: compute, Method: http.MethodDelete,
		Path: "os-services/" + url.PathEscape(service)}, nil)
}

// unprovide deletes a provider that Nova has left: it does not tell when Placement refused.
func (a api) unprovide(ctx context.Context, id string) error {
	return a.do(ctx, openstack.Request{Service: placement, Method: http.MethodDelete,
		Path: "resource_providers/" + url.PathEscape(id)}, nil)
}
