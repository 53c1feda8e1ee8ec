package resources

import (
	"encoding/json"
	"strings"
	"sync"
	"time"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"stackwright.dev/kit/condition"
	"stackwright.dev/kit/step"

	openstackv1 "stackwright.dev/stackwright/api/openstack/v1alpha1"
	"stackwright.dev/stackwright/internal/resources/body"
	d "stackwright.dev/stackwright/internal/resources/descriptor"
)

// observation is what the last run saw of a resource.
type observation struct {
	id       string
	kind     *d.Kind
	cloud    cloudKey
	resource map[string]any
	drift    []body.Difference
	// unmade tells that the API has answered a change well and shows what there was before.
	unmade bool
}

// left is the observation with what still differs after a run.
func (o observation) left(drift []body.Difference) observation {
	o.drift = drift
	return o
}

// sightings are the observations of a controller's objects that their status does not have yet.
type sightings struct {
	mu  sync.Mutex
	all map[types.UID]observation
}

func (s *sightings) put(uid types.UID, o observation) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.all == nil {
		s.all = map[types.UID]observation{}
	}
	s.all[uid] = o
}

// take returns an observation once: status has it then.
func (s *sightings) take(uid types.UID) (observation, bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	o, ok := s.all[uid]
	delete(s.all, uid)
	return o, ok
}

func (s *sightings) drop(uid types.UID) { s.put(uid, observation{}) }

// report writes what was seen into the status.
func (c *controller) report(_ step.View, o object) {
	seen, ok := c.seen.take(o.GetUID())
	if !ok {
		return
	}
	st := o.Observed()
	st.ID = seen.id
	if seen.id == "" {
		st.State, st.Resource, st.Drift = "", nil, nil
		return
	}
	st.Cloud = referenceTo(seen.cloud)
	raw, err := json.Marshal(body.Observed(seen.kind, seen.resource))
	if err != nil {
		return
	}
	state, _ := body.At(seen.resource, seen.kind.State.Path).(string)
	changed := st.Resource == nil || string(st.Resource.Raw) != string(raw) || st.State != state
	st.State, st.Resource = state, &apiextensionsv1.JSON{Raw: raw}
	if changed {
		st.LastSyncTime = metav1.NewTime(time.Now().Truncate(time.Second))
	}
	st.Drift = nil
	for _, x := range seen.drift {
		st.Drift = append(st.Drift,
			openstackv1.Difference{Path: x.Field.Spec(), Desired: short(x.Desired), Actual: short(x.Actual)})
	}
	drifted(st, seen.unmade)
}

// drifted sets the condition that says that the resource is not as declared; there is none while it is.
func drifted(st *openstackv1.ResourceStatus, unmade bool) {
	if len(st.Drift) == 0 {
		meta.RemoveStatusCondition(&st.Conditions, conditionDrifted)
		return
	}
	paths := make([]string, 0, len(st.Drift))
	for _, x := range st.Drift {
		paths = append(paths, x.Path)
	}
	reason, advice := "Differs", "See status.drift; change what is declared, or the resource."
	if unmade {
		reason = "NotMade"
		advice = "The API took the change and did not make it: see status.drift, and declare another value."
	}
	condition.Set(&st.Conditions, metav1.Condition{Type: conditionDrifted, Status: condition.True, Reason: reason,
		ObservedGeneration: st.ObservedGeneration, Message: "The resource differs in " + strings.Join(paths, ", ") + ". " +
			advice})
}

// short is a value as JSON of at most 256 bytes.
func short(v any) string {
	raw, err := json.Marshal(v)
	if err != nil || v == nil {
		return ""
	}
	return strings.ToValidUTF8(string(raw[:min(len(raw), 250)]), "")
}
