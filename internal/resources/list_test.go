package resources

import (
	"context"
	"hash/maphash"
	"net/http"
	"strconv"
	"strings"
	"testing"
	"time"

	"stackwright.dev/stackwright/internal/openstack"
	"stackwright.dev/stackwright/internal/resources/kinds"
	"stackwright.dev/stackwright/internal/resources/mirror"
)

// What somebody waits for goes before what is only looked after, and both before what is read in bulk.
func TestLanesOfLists(t *testing.T) {
	for why, want := range map[mirror.Reason]openstack.Lane{mirror.Asked: openstack.Urgent,
		mirror.Awaited: openstack.Wait, mirror.Due: openstack.Drift} {
		if got := (&lister{}).urgency(why); got != want {
			t.Errorf("a list for reason %d has lane %s, want %s", why, got, want)
		}
		if got := (&lister{bulk: true}).urgency(why); got != openstack.Import {
			t.Errorf("a list in bulk has lane %s", got)
		}
	}
}

// endless is a cloud whose lists have pages that never end, or so many as there are.
type endless struct {
	empty
	page  string
	pages int
	asked int
}

func (e *endless) Do(_ context.Context, r openstack.Request) (*openstack.Response, error) {
	e.asked++
	link := `"http://cloud/ports?marker=` + strconv.Itoa(e.asked) + `"`
	if e.asked == e.pages {
		link = "null"
	}
	body := `{"ports": [` + e.page + `], "next": ` + link + `}`
	return r.Hand(&openstack.Response{Code: http.StatusOK, Body: []byte(body)}), nil
}

// many is a page of so many entries.
func many(n int, entry string) string { return strings.TrimSuffix(strings.Repeat(entry+",", n), ",") }

const listedPort = `{"id": "0c8e7f0e-5ba5-4a2c-9f6e-2f6f3a1f0b7d", "name": "port", "status": "ACTIVE",
	"network_id": "0c8e7f0e-5ba5-4a2c-9f6e-2f6f3a1f0b7d", "tenant_id": "0c8e7f0e5ba54a2c9f6e2f6f3a1f0b7d",
	"project_id": "0c8e7f0e5ba54a2c9f6e2f6f3a1f0b7d", "mac_address": "fa:16:3e:00:00:01", "admin_state_up": true,
	"device_id": "0c8e7f0e-5ba5-4a2c-9f6e-2f6f3a1f0b7d", "device_owner": "compute:nova", "description": "", "tags": [],
	"fixed_ips": [{"subnet_id": "0c8e7f0e-5ba5-4a2c-9f6e-2f6f3a1f0b7d", "ip_address": "10.0.0.1"}], "dns_name": "",
	"security_groups": ["0c8e7f0e-5ba5-4a2c-9f6e-2f6f3a1f0b7d"], "binding:vnic_type": "normal", "binding:host_id": "n1",
	"allowed_address_pairs": [], "extra_dhcp_opts": [], "port_security_enabled": true, "revision_number": 4,
	"created_at": "2026-01-01T00:00:00Z", "updated_at": "2026-01-01T00:00:00Z",
	"binding:vif_details": {"port_filter": true}}`

// A list whose pages never end is given up by what it has, not only by their number; one of a large cloud is read, also
// with as little memory as an operator has.
func TestBoundsOfLists(t *testing.T) {
	least := bounded()
	least.kept = 64 << 20
	long := strings.Repeat("y", 1<<10)
	for name, c := range map[string]struct {
		page  string
		pages int
		most  bounds
		// found and asked are how many there are in the end, and after how many pages.
		found, asked int
	}{
		"20,000 ports":   {many(1000, listedPort), 20, least, 20_000, 20},
		"too many":       {many(1000, `{"id": "1"}`), 0, bounds{10_000, 1 << 30, 1 << 30}, 0, 11},
		"too much read":  {many(10, `{"x": "`+long+`"}`), 0, bounds{1 << 30, 1 << 20, 1 << 30}, 0, 101},
		"too much kept":  {many(10, `{"name": "`+long+`"}`), 0, bounds{1 << 30, 1 << 30, 1 << 20}, 0, 79},
		"too many empty": {many(1000, `{}`), 0, bounds{1 << 30, 1 << 30, 3 << 20}, 0, 11},
		"one page":       {`{"id": "1"}`, 1, bounds{1, 1 << 10, 1 << 10}, 1, 1},
	} {
		t.Run(name, func(t *testing.T) {
			door := &endless{page: c.page, pages: c.pages}
			l := &lister{kind: &kinds.Port, door: door, path: "/ports", seed: maphash.MakeSeed(), most: &c.most}
			out, err := l.List(t.Context(), time.Time{}, mirror.Due)
			if len(out.Found) != c.found || door.asked != c.asked {
				t.Errorf("%d are found after %d pages, want %d after %d", len(out.Found), door.asked, c.found, c.asked)
			}
			refused := err != nil && strings.Contains(err.Error(), "listing ports: there is more than the operator takes")
			if refused != (c.found == 0) || err != nil && !refused {
				t.Errorf("the error is %v", err)
			}
		})
	}
}
