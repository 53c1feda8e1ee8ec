package why

import (
	"cmp"
	"regexp"
	"slices"
	"strings"
)

// split parts a message into what is and what to do about it: its last clause, and those before it that begin with an
// order. A sentence of the kit ends so; an error may end otherwise, and have semicolons all the same.
func split(message string) (what, do string) {
	parts := strings.Split(message, "; ")
	i := len(parts)
	for ; i > 1; i-- {
		if at := order.FindStringIndex(parts[i-1]); at == nil || at[0] > 0 && i < len(parts) {
			break
		}
	}
	return strings.Join(parts[:i], "; "), strings.Join(parts[i:], "; ")
}

// Orders tells whether a clause says what to do next, be it to wait. It goes by form: an order is a verb, of those
// below, that begins a clause; a new verb has to be one, too.
func Orders(clause string) bool { return order.MatchString(clause) }

var order = regexp.MustCompile(`(?i)(^|[.;:,] "?|\b(or|and|to|then|else|please) )(` + strings.ReplaceAll(
	"add annotate bring change check choose correct create declare delete escape free give install leave let look lower "+
		"make mend move name put raise read remove rename renew repair report restart restore rotate run say see set start "+
		"take upload use wait write", " ", "|") + `)\b|\bconditions say\b|\bdid you mean\b|\bmust be\b` +
	`|\bit is (asked|made|run|tried) again\b|\bby itself\b`)

// hint is what to do about one of some reasons when the message says that; in small letters, empty for any message.
type hint struct{ reasons, says, do string }

// failures are the reasons of conditions whose messages are the texts of errors, which may have no advice.
const failures = "InvalidSpec Conflict QuotaExceeded Denied RateLimited Unavailable Panicked Error "

// hints for pods and those who make them, tried in their order. NS and NAME stand for the object's.
var hints = []hint{
	{"ErrImagePull ImagePullBackOff ErrImageNeverPull InvalidImageName ImageInspectError", "",
		"load or push that image, or correct its reference in the OpenStackRelease or in spec.image"},
	{"CreateContainerConfigError CreateContainerError", "",
		"make the Secret or ConfigMap that the message names, or correct the reference to it"},
	{"OOMKilled", "", "raise resources.limits.memory of the service"},
	{"RunContainerError StartError ContainerCannotRun", "",
		"the image cannot start: see that its command exists and that it is made for this machine's architecture"},
	{"Unschedulable", "insufficient", "add a node, or lower the requests: spec.size or the service's resources"},
	{"Unschedulable", "anti-affinity", "add a node, or lower replicas: each replica wants a node of its own"},
	{"Unschedulable", "topology spread", "add a node, or lower replicas: each replica wants a node of its own"},
	{"Unschedulable", "persistentvolume's node affinity",
		"bring back the node on which the pod's volume is: kubectl -n NS describe pod NAME names the claim"},
	{"Unschedulable", "taint", "add a toleration to the service, or take the taint off a node"},
	{"Unschedulable", "node selector", "label a node as the service's nodeSelector asks, or correct the nodeSelector"},
	{"Unschedulable", "node affinity", "label a node as the service's nodeSelector asks, or correct the nodeSelector"},
	{"Unschedulable", "persistentvolumeclaim", "see the volume claim: kubectl -n NS get pvc"},
	{"Unschedulable", "storageclass", "see the volume claim: kubectl -n NS get pvc"},
	{"Unschedulable", "", "see which nodes there are and what they lack: kubectl describe nodes"},
	{"FailedMount FailedAttachVolume", "", "make the Secret, ConfigMap or volume that the message names"},
	{"Unhealthy", "", "the probe says no: read the log: kubectl -n NS logs NAME"},
	{"FailedCreatePodSandBox", "",
		"the node cannot start pods: see the log of its container engine and network plugin"},
	{"FailedCreate", "exceeded quota",
		"raise the ResourceQuota of the namespace, or lower the requests or replicas of the service"},
	{"FailedCreate", "violates podsecurity",
		"lower the Pod Security level of the namespace, or see which extra setting broke it"},
	{"FailedCreate", "serviceaccount",
		"the ServiceAccount comes back when its owner is reconciled; see that the operator runs"},
	{"FailedCreate", "", "correct what the message names"},
}

// remedies are the hints for failures whose messages do not say what to do.
var remedies = []hint{
	{"Unavailable", "", "see whether what the message names answers; the operator tries again by itself"},
	{"Denied", "", "see whether the credentials that the object refers to are right"},
	{"RateLimited", "", "wait: the operator tries again when the other side lets it"},
	{"Panicked Error", "", "see the log of the operator, which tries again by itself, and report it"},
	{failures, "", "correct what the message names"},
}

// advise returns what to do about an object, or else what is given.
func advise(from []hint, o Object, reason, message, otherwise string) string {
	for _, h := range from {
		if slices.Contains(strings.Fields(h.reasons), reason) && strings.Contains(strings.ToLower(message), h.says) {
			return strings.NewReplacer("NS", o.Namespace, "NAME", o.Name).Replace(h.do)
		}
	}
	return otherwise
}

// tell puts a condition's reason and message into the finding.
func (f *Finding) tell(reason, message string) {
	f.Reason = reason
	if f.Message, f.Do = split(message); f.Do == "" {
		f.Do = advise(remedies, f.Object, reason, message, "")
	}
}

// weight orders findings: what is broken comes before what merely waits.
func weight(f *Finding) int {
	switch f.First().Reason {
	case "NotReady", "Deleting", "Forbidden":
		return 2
	case "Unhealthy":
		return 1
	}
	return 0
}

// ranked puts the likeliest cause first: broken before waiting, then the oldest.
func ranked(list []*Finding) []*Finding {
	slices.SortStableFunc(list, func(a, b *Finding) int {
		return cmp.Or(cmp.Compare(weight(a), weight(b)), a.Since.Compare(b.Since.Time),
			strings.Compare(a.Object.Name, b.Object.Name))
	})
	return list
}
