package standalone

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"stackwright.dev/kit/apply"

	openstackv1 "stackwright.dev/stackwright/api/openstack/v1alpha1"
	"stackwright.dev/stackwright/internal/operator"
	"stackwright.dev/stackwright/internal/pki"
	"stackwright.dev/stackwright/internal/rehearse"
	"stackwright.dev/stackwright/internal/service"
)

// dropped are annotations of pods that are digests of Secrets and of other objects, which a template does not see.
// Operators roll pods with them.
var dropped = []string{"service.stackwright.dev/certificate", "service.stackwright.dev/password",
	"service.stackwright.dev/cache-authority", "service.stackwright.dev/keystone-authority",
	"service.stackwright.dev/keys", "service.stackwright.dev/cells", "service.stackwright.dev/ovn"}

// stamps are what the kit puts on an object to know it again.
var stamps = []string{apply.LabelPartOf, apply.LabelController, apply.LabelEstate, apply.AnnotationOwner,
	apply.AnnotationStep, apply.AnnotationOrder}

// group of the kinds of services, and the version of their objects.
const (
	group   = "service.stackwright.dev"
	version = "v1alpha1"
)

// object is one that the template has.
type object struct {
	step string
	tree map[string]any
}

func (o object) kind() string { return fmt.Sprint(o.tree["kind"]) }

func (o object) name() string {
	meta, _ := o.tree["metadata"].(map[string]any)
	return fmt.Sprint(o.kind(), " ", meta["name"])
}

// scene is what a definition makes of a spec.
type scene struct {
	objects []object
	// secrets are those that the definition makes, asked the Secrets and ConfigMaps that it looked for, passwords the
	// Secrets that OpenStack resources refer to.
	secrets, asked, passwords []string
	// order are the steps of the objects, as they were played.
	order  []string
	result *rehearse.Result
	// keystone is the name of the one that the service asks.
	keystone string
}

// play plays the definition of a kind, and no other: what other operators would make is for somebody to give.
func play(ctx context.Context, o client.Object, reader client.Reader) (*rehearse.Result, error) {
	var players []rehearse.Player
	for _, p := range operator.Registry(operator.Environment{}).Players() {
		if p.Owns(o.GetObjectKind().GroupVersionKind().GroupKind()) {
			players = append(players, p)
		}
	}
	result, err := rehearse.Play(ctx, o, rehearse.World{Scheme: operator.Scheme(), Reader: reader}, players...)
	if err != nil {
		return result, fmt.Errorf("playing %s %s: %w", o.GetObjectKind().GroupVersionKind().Kind, o.GetName(), err)
	}
	return result, nil
}

// objectOf reads an object of a service.
func objectOf(data []byte) (client.Object, error) {
	var head struct{ Kind string }
	if err := json.Unmarshal(data, &head); err != nil {
		return nil, fmt.Errorf("reading the object: %w", err)
	}
	kind := schema.GroupVersionKind{Group: group, Version: version, Kind: head.Kind}
	empty, err := operator.Scheme().New(kind)
	if err != nil {
		return nil, fmt.Errorf("reading the object: %w", err)
	}
	o, ok := empty.(client.Object)
	if !ok {
		return nil, fmt.Errorf("kind %s is no object", head.Kind)
	}
	if err := json.Unmarshal(data, o); err != nil {
		return nil, fmt.Errorf("reading %s: %w", head.Kind, err)
	}
	o.GetObjectKind().SetGroupVersionKind(kind)
	return o, nil
}

// stage plays a spec where nothing is.
func stage(ctx context.Context, c Chart, spec map[string]any) (*scene, error) {
	text, err := json.Marshal(map[string]any{"kind": c.Kind, "apiVersion": group + "/" + version,
		"metadata": map[string]any{"name": markName, "namespace": markSpace}, "spec": spec})
	if err != nil {
		return nil, fmt.Errorf("writing the spec: %w", err)
	}
	o, err := objectOf(text)
	if err != nil {
		return nil, err
	}
	authority, err := pki.NewCA("given", time.Now())
	if err != nil {
		return nil, fmt.Errorf("making a CA: %w", err)
	}
	asked := asking{given: c.Given, authority: authority, object: o, keystone: keystoneOf(text), names: map[string]bool{}}
	known := &identity{Reader: asked, clouds: asked, keystone: asked.keystone}
	result, err := play(ctx, o, known)
	if known.err != nil {
		return nil, known.err
	}
	if err != nil {
		return nil, err
	}
	// What is wanting of Secrets that have no names yet is no trouble; a step that waits is.
	for _, note := range result.Notes {
		if strings.Contains(note, ", step ") {
			return nil, fmt.Errorf("%s; say in Given what it waits for", note)
		}
	}
	s := &scene{result: result, asked: slices.Sorted(maps.Keys(asked.names)), keystone: asked.keystone}
	return s, s.sort(result)
}

// sort takes from what was made what a template has: no Secrets, and nothing that is for another operator.
func (s *scene) sort(result *rehearse.Result) error {
	hash := hashOf(result)
	for _, m := range result.Made {
		kind := m.Object.GetObjectKind().GroupVersionKind()
		switch {
		case kind.Kind == "Secret":
			s.secrets = append(s.secrets, withHash(m.Object.GetName(), hash))
			continue
		case kind.Group == openstackv1.GroupVersion.Group:
			s.passwords = append(s.passwords, passwordsOf(m.Object)...)
			continue
		case strings.HasSuffix(kind.Group, ".stackwright.dev"):
			continue
		}
		// As it is sent to the API server, but for what says whose it is.
		sent, _, err := apply.Normalize(operator.Scheme(), m.Object, apply.Origin{Owner: m.Owner, Released: true})
		if err != nil {
			return fmt.Errorf("encoding %s: %w", m.Object.GetName(), err)
		}
		clean, _ := tidy(sent.Object, hash).(map[string]any)
		s.objects = append(s.objects, object{m.Step, clean})
	}
	slices.Sort(s.secrets)
	for _, o := range s.objects {
		s.order = append(s.order, o.step)
	}
	slices.SortFunc(s.objects, func(a, b object) int { return strings.Compare(a.name(), b.name()) })
	return nil
}

// standIn is the name of a Secret in plays for those that items of lists name.
const standIn = "stand-in"

// hashMark stands for the hash of the configuration.
const hashMark = "marked-hash"

// hashOf is the hash of the configuration that a play made: what its revision says.
func hashOf(result *rehearse.Result) string {
	for _, m := range result.Made {
		if s, ok := m.Object.(*corev1.Secret); ok && revisionOf(s) {
			return string(s.Data["hash"])
		}
	}
	return ""
}

// revisionOf tells that a Secret is a configuration that never changes.
func revisionOf(s *corev1.Secret) bool {
	hash := string(s.Data["hash"])
	return s.Immutable != nil && *s.Immutable && hash != "" && strings.HasSuffix(s.Name, "-"+hash)
}

func withHash(text, hash string) string {
	if hash == "" {
		return text
	}
	return strings.ReplaceAll(text, hash, hashMark)
}

// tidy takes out what a template does not have, and marks the hash.
func tidy(node any, hash string) any {
	switch node := node.(type) {
	case map[string]any:
		for key, value := range node {
			if slices.Contains(dropped, key) || slices.Contains(stamps, key) {
				delete(node, key)
				continue
			}
			node[key] = tidy(value, hash)
			if inner, ok := node[key].(map[string]any); ok && len(inner) == 0 && (key == "annotations" || key == "labels") {
				delete(node, key)
			}
		}
	case []any:
		for i := range node {
			node[i] = tidy(node[i], hash)
		}
	case string:
		return withHash(node, hash)
	}
	return node
}

// asking is a cluster that has what somebody has to make and nothing else. It remembers for what Secrets and ConfigMaps
// it was asked.
type asking struct {
	given     map[string][]string
	authority pki.Pair
	// object is the one that is played, keystone the name of the one that it asks.
	object   client.Object
	keystone string
	names    map[string]bool
}

// Get finds Secrets that are given.
func (a asking) Get(_ context.Context, key client.ObjectKey, into client.Object, _ ...client.GetOption) error {
	switch into := into.(type) {
	case *corev1.Secret:
		if key.Name != standIn {
			a.names["secrets/"+key.Name] = true
		}
		if into.Data = a.content(key.Name); len(into.Data) > 0 {
			return nil
		}
	case *corev1.ConfigMap:
		a.names["configmaps/"+key.Name] = true
	}
	return apierrors.NewNotFound(schema.GroupResource{}, key.Name)
}

// content is what somebody puts into a Secret; the values do not matter.
func (a asking) content(name string) map[string][]byte {
	data := map[string][]byte{}
	for _, field := range a.given[strings.TrimPrefix(name, a.object.GetName()+"-")] {
		data[field] = []byte("given")
		switch field {
		case keyCephConf:
			data[field] = []byte("[global]\nmon_host = given\n")
		case keyUser:
			// In a project, as a Keystone has it.
			data[field] = []byte("given:given")
		}
	}
	if o, ok := a.object.(service.Object); ok && (name == o.Common().TLS.Secret || name == o.Common().TLS.CASecret) {
		data = map[string][]byte{pki.CertKey: a.authority.Cert, pki.KeyKey: a.authority.Key, pki.CAKey: a.authority.Cert}
	}
	if a.keystone != "" && name == service.CloudsName(a.keystone) {
		data[keyClouds] = []byte("clouds: {internal: {auth: {auth_url: 'https://given.test'}, region_name: given}}")
		data[keyCA] = a.authority.Cert
	}
	return data
}

// List finds nothing.
func (a asking) List(context.Context, client.ObjectList, ...client.ListOption) error { return nil }
