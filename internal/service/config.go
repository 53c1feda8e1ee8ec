package service

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"maps"
	"slices"

	corev1 "k8s.io/api/core/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"stackwright.dev/kit/outcome"
	"stackwright.dev/kit/step"

	servicev1 "stackwright.dev/stackwright/api/service/v1alpha1"
	"stackwright.dev/stackwright/internal/image/catalogue"
	"stackwright.dev/stackwright/internal/service/oslo"
	"stackwright.dev/stackwright/releases"
)

// Keys of the configuration Secret.
const (
	keyUWSGI = "uwsgi.ini"
	keyCache = "stackwright_cache.py"
	keyHash  = "hash"
)

// annotationConfig of a Deployment says which configuration its pods run.
const annotationConfig = "service.stackwright.dev/config"

// ConfigStep checks the options that a person asks for and writes the configuration: once under a name that never
// changes, for Jobs, and once, immutable, under the name of its hash, for the pods of the API. So a pod that starts
// late reads what its Deployment means, and a roll-out that fails leaves the old pods what they need to start again.
func (s Service[T]) ConfigStep(o ...step.Option[T]) step.Step[T] {
	after := slices.Clone(s.After)
	if s.Database != nil {
		after = append(after, StepDatabase)
	}
	if s.RabbitMQ != nil {
		after = append(after, StepBus)
	}
	return step.Objects(StepConfig, s.config, append(o, step.Reads[T](s.optionRefs()...), step.After[T](after...),
		step.Sees[T](s.Sees...), step.Makes[T](&corev1.Secret{}), step.Condition[T]("ConfigReady"),
		step.Component[T](ComponentSetup))...)
}

func (s Service[T]) config(sc *step.Scope[T]) ([]client.Object, error) {
	o := sc.Owner()
	data, patient := s.programs(o), map[string][]byte{}
	if s.Options != nil {
		if err := s.files(sc, data, patient); err != nil {
			return nil, err
		}
	}
	if s.Files != nil {
		maps.Copy(data, s.Files(o))
	}
	if s.Keys != nil {
		keys, err := s.Keys(sc)
		if err != nil {
			return nil, err
		}
		maps.Copy(data, keys)
	}
	if err := sc.Err(); err != nil {
		return nil, err
	}
	hash := hashOf(data)
	data[keyHash] = []byte(hash)
	jobs := maps.Clone(data)
	maps.Copy(jobs, patient)
	objects := []client.Object{
		&corev1.Secret{ObjectMeta: s.meta(o, configName(o)), Data: jobs},
		s.revision(o, hash, data),
	}
	if rolled := o.Service().Config; rolled != "" && rolled != hash {
		if old := sc.Content(RefRolled); old != nil {
			objects = append(objects, s.revision(o, rolled, old))
		}
	}
	return objects, nil
}

// files are the configuration file, and what it names. Jobs have a patient one in its place.
func (s Service[T]) files(sc *step.Scope[T], data, jobs map[string][]byte) error {
	base := s.base(sc)
	if err := sc.Err(); err != nil {
		return err
	}
	patient, err := s.compose(sc, base)
	if err != nil {
		return err
	}
	s.impatient(base)
	file, err := s.compose(sc, base)
	if err != nil {
		return err
	}
	jobs[s.fileName()] = patient.Bytes()
	data[s.fileName()], data[keyCache] = file.Bytes(), cacheModule
	return nil
}

func (s Service[T]) fileName() string { return cmp.Or(s.File, s.Name+".conf") }

func (s Service[T]) revision(o T, hash string, data map[string][]byte) *corev1.Secret {
	return &corev1.Secret{ObjectMeta: s.meta(o, revisionName(o, hash)), Data: data, Immutable: new(true)}
}

func revisionName(o Object, hash string) string { return configName(o) + "-" + hash }

// rolledName names the configuration that all pods of the API run; empty before the first roll-out.
func rolledName(o Object) string {
	if rolled := o.Service().Config; rolled != "" {
		return revisionName(o, rolled)
	}
	return ""
}

func hashOf(data map[string][]byte) string {
	h := sha256.New()
	for _, k := range slices.Sorted(maps.Keys(data)) {
		fmt.Fprintf(h, "%s\x00%d\x00%s", k, len(data[k]), data[k])
	}
	return hex.EncodeToString(h.Sum(nil))[:16]
}

// compose lays the options of configFrom and then of config over the operator's own.
func (s Service[T]) compose(sc *step.Scope[T], base *oslo.File) (*oslo.File, error) {
	layers, err := s.layers(sc)
	if err != nil {
		return nil, refused(err)
	}
	known, err := catalogue.Load(releases.Files, sc.Owner().Common().Release, s.Name)
	if err != nil {
		return nil, refused(fmt.Errorf("spec.release: %w; take a release that the operator knows", err))
	}
	checker := oslo.Checker{Catalogue: known, Free: s.Free}
	if s.Sections != nil {
		checker.Sections = s.Sections(sc.Owner())
	}
	file, err := checker.Compose(base, layers...)
	if err != nil {
		return nil, refused(err)
	}
	return file, nil
}

func refused(err error) error {
	return &outcome.Error{Class: outcome.Invalid, Reason: "InvalidConfig", Err: err}
}

func (s Service[T]) layers(sc *step.Scope[T]) ([]oslo.Layer, error) {
	var layers []oslo.Layer
	for i, from := range sc.Owner().Common().ConfigFrom {
		ref, what := sourceMap(i), "ConfigMap "+from.ConfigMap
		if from.Secret != "" {
			ref, what = sourceSecret(i), "Secret "+from.Secret
		}
		content := sc.Content(ref)
		for _, key := range slices.Sorted(maps.Keys(content)) {
			origin := what + ", key " + key
			file, err := oslo.Parse(string(content[key]))
			if err != nil {
				return nil, fmt.Errorf("%s: %w", origin, err)
			}
			layers = append(layers, oslo.Layer{Origin: origin, Hidden: from.Secret != "", File: file})
		}
	}
	own, err := LayerOf("spec.config", sc.Owner().Common().Config)
	return append(layers, own), err
}

// LayerOf makes a layer of spec.config.
func LayerOf(field string, config map[string]servicev1.Options) (oslo.Layer, error) {
	layer := oslo.Layer{Origin: field, File: &oslo.File{}, Lists: map[[2]string]bool{}}
	for _, section := range slices.Sorted(maps.Keys(config)) {
		for _, option := range slices.Sorted(maps.Keys(config[section])) {
			texts, list, err := config[section][option].Texts()
			if err != nil {
				return layer, fmt.Errorf("%s: [%s] %s %w", field, section, option, err)
			}
			values := make([]any, len(texts))
			for i := range texts {
				values[i] = texts[i]
			}
			layer.File.Set(section, option, values...)
			layer.Lists[[2]string{section, option}] = list
		}
	}
	return layer, nil
}
