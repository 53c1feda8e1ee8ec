package hypervisor_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"stackwright.dev/stackwright/internal/openstack/fake"
	"stackwright.dev/stackwright/internal/resources/kinds"
)

// hall is a Nova and a Placement with hosts, behind the tokens of a fake cloud. It answers as theirs do, see the
// sources that nova.go names.
type hall struct {
	*fake.Cloud
	mu    sync.Mutex
	hosts map[string]*host
	log   []string
	// gone and broken are what does not work: Nova answers nobody, or Placement keeps providers that Nova deletes.
	gone, sticky bool
	// nameless says that nobody may list the servers of others.
	nameless bool
	// takes is how long Nova lists hypervisors.
	takes time.Duration
	// late is how many writes of traits others are quicker than.
	late int
	// unmade are traits that Placement does not know: no provider can have them.
	unmade []string
	// down are cells whose databases do not answer. Nova looks into its cells one after the other, by their names here.
	down []string
}

// host is one that nova-compute has registered.
type host struct {
	id           string
	mapped, up   bool
	provided     bool
	disabled     bool
	reason, zone string
	aggregates   []string
	servers      []string
	promised     int
	cell         string
	generation   int
	vcpus, mb    int
	traits       []string
}

// natural are the traits of hosts of which nobody has said anything.
func natural() []string { return []string{"HW_CPU_X86_AVX", "CUSTOM_GOLD"} }

func newHall(hosts ...string) *hall {
	h := &hall{Cloud: fake.New(kinds.Served()), hosts: map[string]*host{}}
	for n, name := range hosts {
		h.hosts[name] = &host{id: fmt.Sprintf("00000000-0000-4000-8000-%012d", n+1), mapped: true, up: true, provided: true,
			zone: "nova", cell: "cell1", generation: 1, vcpus: 16, mb: 7962, traits: natural()}
	}
	return h
}

// loses has cells whose databases do not answer, and no others.
func (h *hall) loses(cells ...string) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.down = cells
}

// walks looks into one cell after the other up to that of a host, or into all, and tells whether all have answered.
func (h *hall) walks(o *host) bool {
	for _, cell := range h.down {
		if o == nil || cell <= o.cell {
			return false
		}
	}
	return true
}

// with changes a host as somebody else does.
func (h *hall) with(name string, change func(*host)) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.hosts[name] == nil {
		h.hosts[name] = &host{id: "00000000-0000-4000-8000-000000000099", zone: "nova", cell: "cell1", vcpus: 16, mb: 7962,
			traits: natural()}
	}
	change(h.hosts[name])
}

func (h *hall) host(name string) *host {
	h.mu.Lock()
	defer h.mu.Unlock()
	if o := h.hosts[name]; o != nil {
		c := *o
		return &c
	}
	return nil
}

// break lets Nova answer nobody, or all again.
func (h *hall) breaks(gone bool) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.gone = gone
}

// asked returns the requests since the last call, ids left out.
func (h *hall) asked() []string {
	h.mu.Lock()
	defer h.mu.Unlock()
	out := h.log
	h.log = nil
	return out
}

// RoundTrip implements http.RoundTripper.
func (h *hall) RoundTrip(r *http.Request) (*http.Response, error) {
	path := strings.TrimPrefix(r.URL.Path, "/compute/v2.1/")
	nova := path != r.URL.Path && (strings.HasPrefix(path, "os-") || path == "servers")
	if !nova {
		if path = strings.TrimPrefix(r.URL.Path, "/placement/"); !strings.HasPrefix(path, "resource_providers") &&
			!strings.HasPrefix(path, "traits/") {
			return h.Cloud.RoundTrip(r)
		}
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	if takes := h.takes; takes > 0 && path == "os-hypervisors/detail" {
		h.mu.Unlock()
		<-time.After(takes)
		h.mu.Lock()
	}
	code, body := h.answer(r, path, nova)
	raw, err := json.Marshal(body)
	return &http.Response{StatusCode: code, Header: http.Header{"Content-Type": {"application/json"}}, Request: r,
		Proto: "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1, Body: io.NopCloser(bytes.NewReader(raw))}, err
}

func (h *hall) answer(r *http.Request, path string, nova bool) (int, any) {
	parts := strings.Split(path, "/")
	id := ""
	if len(parts) > 1 && parts[1] != "detail" {
		id, parts[1] = parts[1], "ID"
	}
	what := r.Method + " " + strings.Join(parts, "/")
	h.log = append(h.log, what)
	if h.gone {
		return http.StatusServiceUnavailable, refusal("the service is down")
	}
	if v := r.Header.Get("OpenStack-API-Version"); nova && v != "compute 2.75" || !nova && v != "placement 1.6" {
		return http.StatusNotAcceptable, refusal("the test does not speak version " + v)
	}
	if what == "PUT traits/ID" {
		h.unmade = slices.DeleteFunc(h.unmade, func(t string) bool { return t == id })
		return http.StatusNoContent, nil
	}
	if id != "" && h.named(id) == nil {
		return http.StatusNotFound, refusal("there is no " + id)
	}
	if strings.Contains(what, "os-hypervisors/") || strings.Contains(what, "os-services/") {
		if id == "" && !h.walks(nil) || id != "" && !h.walks(h.named(id)) {
			return http.StatusInternalServerError, refusal("Unexpected API Error.")
		}
	}
	switch what {
	case "GET os-hypervisors/detail":
		return h.machines()
	case "GET os-hypervisors/ID":
		return h.machine(id)
	case "GET servers":
		return h.people(r)
	case "GET os-services":
		return h.services()
	case "GET os-aggregates":
		return h.aggregates()
	case "PUT os-services/ID":
		return h.switched(r, h.named(id))
	case "DELETE os-services/ID":
		return h.remove(id)
	case "GET resource_providers":
		return h.providers()
	case "DELETE resource_providers/ID":
		return h.unprovide(h.named(id))
	case "PUT resource_providers/ID/traits":
		return h.characterize(r, h.named(id))
	}
	return room(what, h.named(id))
}

// named finds a host by its compute node or its service, which are one here but for their first digit.
func (h *hall) named(id string) *host {
	for _, o := range h.hosts {
		if o.id[1:] == id[1:] {
			return o
		}
	}
	return nil
}

func (o *host) service() string { return "1" + o.id[1:] }

func refusal(text string) any { return map[string]any{"error": map[string]any{"message": text}} }

func (h *hall) each(f func(name string, o *host)) {
	for _, name := range slices.Sorted(maps.Keys(h.hosts)) {
		f(name, h.hosts[name])
	}
}

// people are servers by the names that people gave them: those of one host, of all projects.
func (h *hall) people(r *http.Request) (int, any) {
	q, servers := r.URL.Query(), []any{}
	if h.nameless || q.Get("all_tenants") != "true" {
		return http.StatusForbidden, refusal("policy does not allow it")
	}
	limit, _ := strconv.Atoi(q.Get("limit"))
	h.each(func(name string, o *host) {
		for n, s := range o.servers {
			if name == q.Get("host") && len(servers) < limit {
				servers = append(servers, map[string]any{"name": s, "id": fmt.Sprintf("s-%d", n)})
			}
		}
	})
	return http.StatusOK, map[string]any{"servers": servers}
}

// machines leaves out hosts that are not mapped. Its servers have the names that libvirt knows them by.
func (h *hall) machines() (int, any) {
	out := []any{}
	h.each(func(name string, o *host) {
		if !o.mapped || o.service() == "" {
			return
		}
		out = append(out, o.machine(name))
	})
	return http.StatusOK, map[string]any{"hypervisors": out}
}

func (h *hall) machine(id string) (int, any) {
	for name, o := range h.hosts {
		if o.id == id && o.mapped {
			return http.StatusOK, map[string]any{"hypervisor": o.machine(name)}
		}
	}
	return http.StatusNotFound, refusal("there is no " + id)
}

func (o *host) machine(name string) any {
	servers := []any{}
	for n := range o.servers {
		servers = append(servers, map[string]any{"name": fmt.Sprintf("instance-%08x", n+1), "uuid": fmt.Sprintf("s-%d", n)})
	}
	return map[string]any{"id": o.id, "hypervisor_hostname": name, "hypervisor_type": "QEMU",
		"hypervisor_version": 8002002, "service": map[string]any{"host": name, "id": o.service()}, "servers": servers}
}

// services has nothing but the names of hosts whose cell does not answer, of those that are mapped into it.
func (h *hall) services() (int, any) {
	out := []any{}
	h.each(func(name string, o *host) {
		if slices.Contains(h.down, o.cell) {
			if o.mapped {
				out = append(out, map[string]any{"binary": "nova-compute", "host": name, "status": "UNKNOWN"})
			}
			return
		}
		s := map[string]any{"id": o.service(), "host": name, "zone": o.zone, "binary": "nova-compute", "state": "down",
			"status": "enabled", "disabled_reason": nil}
		if o.up {
			s["state"] = "up"
		}
		if o.disabled {
			s["status"], s["disabled_reason"] = "disabled", o.reason
		}
		out = append(out, s)
	})
	return http.StatusOK, map[string]any{"services": out}
}

func (h *hall) aggregates() (int, any) {
	of := map[string][]string{}
	h.each(func(name string, o *host) {
		for _, a := range o.aggregates {
			of[a] = append(of[a], name)
		}
	})
	out := []any{}
	for _, name := range slices.Sorted(maps.Keys(of)) {
		out = append(out, map[string]any{"name": name, "hosts": of[name]})
	}
	return http.StatusOK, map[string]any{"aggregates": out}
}

func (h *hall) switched(r *http.Request, o *host) (int, any) {
	var in struct {
		Status string `json:"status"`
		Reason string `json:"disabled_reason"`
	}
	if err := json.NewDecoder(r.Body).Decode(&in); err != nil || in.Status == "enabled" && in.Reason != "" {
		return http.StatusBadRequest, refusal("the body is not right")
	}
	o.disabled, o.reason = in.Status == "disabled", in.Reason
	return http.StatusOK, map[string]any{"service": map[string]any{}}
}

func (h *hall) remove(id string) (int, any) {
	for name, o := range h.hosts {
		switch {
		case o.service() != id:
		case len(o.servers) > 0:
			return http.StatusConflict, refusal("Unable to delete compute service that is hosting instances.")
		case h.sticky && o.provided:
			h.hosts["left by "+name] = &host{id: o.id, provided: true}
			delete(h.hosts, name)
			return http.StatusNoContent, nil
		default:
			delete(h.hosts, name)
			return http.StatusNoContent, nil
		}
	}
	return http.StatusNotFound, refusal("no service has this id")
}

func (h *hall) providers() (int, any) {
	out := []any{}
	h.each(func(name string, o *host) {
		if o.provided {
			out = append(out, map[string]any{"uuid": o.id, "name": name, "generation": o.generation})
		}
	})
	return http.StatusOK, map[string]any{"resource_providers": out}
}

func (h *hall) unprovide(o *host) (int, any) {
	if o.promised > 0 {
		return http.StatusConflict, refusal("Unable to delete resource provider: it has allocations.")
	}
	maps.DeleteFunc(h.hosts, func(_ string, x *host) bool { return x == o })
	return http.StatusNoContent, nil
}

// characterize sets all traits of a provider, of which the caller has to know the generation.
func (h *hall) characterize(r *http.Request, o *host) (int, any) {
	var in struct {
		Generation *int     `json:"resource_provider_generation"`
		Traits     []string `json:"traits"`
	}
	if err := json.NewDecoder(r.Body).Decode(&in); err != nil || in.Generation == nil || in.Traits == nil {
		return http.StatusBadRequest, refusal("the body is not right")
	}
	if slices.ContainsFunc(in.Traits, func(t string) bool { return slices.Contains(h.unmade, t) }) {
		return http.StatusBadRequest, refusal("No such trait.")
	}
	if h.late > 0 {
		h.late--
		o.generation++
	}
	if *in.Generation != o.generation {
		return http.StatusConflict, refusal("Resource provider's generation already changed.")
	}
	o.traits, o.generation = in.Traits, o.generation+1
	return http.StatusOK, map[string]any{"resource_provider_generation": o.generation, "traits": o.traits}
}

// room is what Placement says of one host.
func room(what string, o *host) (int, any) {
	has := func(total, reserved int, ratio float64) any {
		return map[string]any{"total": total, "reserved": reserved, "allocation_ratio": ratio, "min_unit": 1}
	}
	switch what {
	case "GET resource_providers/ID/inventories":
		return http.StatusOK, map[string]any{"resource_provider_generation": o.generation, "inventories": map[string]any{
			"VCPU": has(o.vcpus, 0, 4), "MEMORY_MB": has(o.mb, 512, 1), "DISK_GB": has(48, 0, 1.5)}}
	case "GET resource_providers/ID/traits":
		return http.StatusOK, map[string]any{"resource_provider_generation": o.generation, "traits": o.traits}
	case "GET resource_providers/ID/usages":
		n := o.promised + len(o.servers)
		return http.StatusOK, map[string]any{"usages": map[string]any{"VCPU": n, "MEMORY_MB": 64 * n, "DISK_GB": n}}
	}
	return http.StatusNotFound, refusal("there is nothing at " + what)
}
