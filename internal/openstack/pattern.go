package openstack

import (
	"cmp"
	"net/http"
	"regexp"
	"strings"
)

// Services say that a limit is reached with 409 (Neutron), 413 (Cinder, Manila, Designate, Glance, Swift, Nova), 403
// (Nova, Octavia, Barbican, Keystone, Magnum) and 400 (Heat), and only the text tells it from a conflict or a missing
// right.
var quotaText = regexp.MustCompile(`(?i)over ?quota|` +
	`quota[^.]{0,60}(exceeded|reached|has been met|limit)|exceed[^.]{0,60}quota|` +
	`exceeded for quota|quota reached|over (a )?limit|` +
	`maximum (number )?of .{0,60}(exceeded|exceeds|reached|allowed)|` +
	`(reached|exceeded) the maximum (number|stacks|clusters|.{0,20}per)|` +
	`limit exceeded|resource limit`)

// exhaustedText is what Neutron says with 503 when a range has nothing left that it could give: VLANs, tunnels, MAC
// addresses. The service answers well.
var exhaustedText = regexp.MustCompile(
	`(?i)no (tenant network is|available network found)|unable to generate unique mac`)

// Texts about a missing right name the policy, and that of the right to change quotas has the word in it:
// "Policy doesn't allow os_compute_api:os-quota-sets:update to be performed".
// Octavia's "Quota has been met for resources: L7policy" is none of them.
var policyText = regexp.MustCompile(`(?i)policy do(es not|esn't) allow|by policy|not authorized`)

// Nova answered 413 to too many requests before 429 existed.
var rateText = regexp.MustCompile(`(?i)rate.?limit|too many requests`)

// The size limit of oslo.middleware answers 413 as well.
var sizeText = regexp.MustCompile(`(?i)request is too large|entity too large`)

// busyText is what a service says when it is not done with what it does to an object: Octavia "Load Balancer X is
// immutable and cannot be updated", Nova "while it is in task_state spawning", Cinder and Manila "status must be
// available", Heat and Magnum "CREATE_IN_PROGRESS", Ironic "is locked by host". Cinder, Manila and Magnum say it with
// 400, not 409, and Octavia "Project busy" with 503, which is about one project and must not open the breaker of all.
// Neutron says with 400 (port forwardings) and 404 (floating IPs) that no router leads yet from a floating IP's network
// to a port.
var busyText = regexp.MustCompile(`(?i)is immutable and cannot be|PENDING_(CREATE|UPDATE|DELETE)|in task_state|` +
	`while it is in vm_state (building|initialized|migrating|resizing)|status must be|current status is|` +
	`_IN_PROGRESS|action \(\w+\) in progress|already in progress|is locked by host|busy with an active task|` +
	`^project busy|` + unroutedText.String())

// unroutedText is what Neutron says of a floating IP and a port, both of which it has.
var unroutedText = regexp.MustCompile(`(?i)is not reachable from subnet`)

// heldText is what Keystone says with 403, which is elsewhere about rights, of what something else keeps as it is: a
// registered limit that projects have limits of, a region with endpoints, a project with others in it or below one that
// is disabled, a resource with the option immutable. unfitText is what it says of values that it never takes.
var (
	heldText = regexp.MustCompile(`(?i)because there are project limits|child regions have associated endpoints|` +
		`not a leaf in the hierarchy|since it has disabled parents|subtree contains enabled|` +
		`domain that is enabled, please disable|(update|delete) immutable .{0,40}resource`)
	unfitText = regexp.MustCompile(`(?i)max hierarchy depth reached|password length must be|invalid resource limit`)
)

// classify turns the status and text of an answer into a class.
func classify(code int, text string) (c Class, transitional bool) {
	switch code {
	case http.StatusBadRequest, http.StatusForbidden, http.StatusConflict, http.StatusRequestEntityTooLarge:
		return classifyByText(code, text)
	case http.StatusPreconditionFailed:
		return Conflict, true // Somebody else changed the object in between; Neutron's If-Match.
	case http.StatusUnauthorized:
		return Auth, false
	case http.StatusNotFound, http.StatusGone:
		if unroutedText.MatchString(text) {
			return Conflict, true
		}
		return NotFound, false
	case http.StatusTooManyRequests, 498:
		return RateLimited, false
	case http.StatusServiceUnavailable:
		return classifyUnavailable(text)
	case http.StatusRequestTimeout, http.StatusBadGateway, http.StatusGatewayTimeout:
		return Unavailable, false
	case http.StatusNotImplemented:
		return Invalid, false
	}
	if code > 400 && code < 500 {
		return Invalid, false
	}
	return Unknown, false
}

func classifyUnavailable(text string) (c Class, transitional bool) {
	switch {
	case busyText.MatchString(text):
		return Conflict, true
	case exhaustedText.MatchString(text):
		return Quota, false
	}
	return Unavailable, false
}

func classifyByText(code int, text string) (c Class, transitional bool) {
	switch {
	case quotaText.MatchString(text) && !policyText.MatchString(text):
		return Quota, false
	case code == http.StatusRequestEntityTooLarge && rateText.MatchString(text):
		return RateLimited, false
	case code == http.StatusRequestEntityTooLarge && sizeText.MatchString(text):
		return Invalid, false
	case code == http.StatusRequestEntityTooLarge:
		return Quota, false
	case busyText.MatchString(text):
		return Conflict, true
	case code == http.StatusForbidden && unfitText.MatchString(text):
		return Invalid, false
	case code == http.StatusConflict, code == http.StatusForbidden && heldText.MatchString(text):
		return Conflict, false
	case code == http.StatusForbidden:
		return Auth, false
	}
	return Invalid, false
}

// foreign tells whether a 404 comes from something that is no OpenStack service: a proxy whose back end is gone, an
// ingress without a rule, another program on the port. Services number their requests or answer in JSON.
func foreign(h http.Header) bool {
	kind := h.Get("Content-Type")
	return requestID(h) == "" && (strings.HasPrefix(kind, "text/html") || strings.HasPrefix(kind, "text/plain"))
}

// requestID returns the name that the service gave to a request.
func requestID(h http.Header) string {
	return cmp.Or(h.Get("X-Openstack-Request-Id"), h.Get("X-Compute-Request-Id"), h.Get("Openstack-Request-Id"),
		h.Get("X-Trans-Id"))
}
