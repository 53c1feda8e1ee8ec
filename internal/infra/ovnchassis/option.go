package ovnchassis

import (
	"context"
	_ "embed"
	"fmt"

	"stackwright.dev/kit/outcome"

	infrav1 "stackwright.dev/stackwright/api/infra/v1alpha1"
	wire "stackwright.dev/stackwright/internal/agent/chassis"
	"stackwright.dev/stackwright/internal/image/catalogue"
	"stackwright.dev/stackwright/internal/service"
	"stackwright.dev/stackwright/internal/service/oslo"
)

// options are those of the table Open_vSwitch, as the manual pages of the image's packages have them:
// ovs-vswitchd.conf.db(5) of Open vSwitch 3.5 for other_config and ovn-controller(8) of OVN 25.03 for external_ids.
// Layers of images have no manual pages, so nothing reads them at a build.
//
//go:embed options.json
var options []byte

// Options checks what a person asks of Open vSwitch and ovn-controller in the named field. The error tells all that is
// wrong.
func Options(field string, asked infrav1.OVNChassisConfig) ([]wire.Option, error) {
	known, err := catalogue.Parse(options)
	if err != nil {
		return nil, err
	}
	layer, err := service.LayerOf(field, asked)
	if err != nil {
		return nil, err
	}
	checker := oslo.Checker{Catalogue: known, Own: wire.Own, Plain: true}
	file, err := checker.Compose(&oslo.File{}, layer)
	if err != nil {
		return nil, err
	}
	var out []wire.Option
	for _, column := range file.Sections() {
		for _, key := range file.Options(column) {
			value, _ := file.Value(column, key)
			out = append(out, wire.Option{Column: column, Key: key, Value: value})
		}
	}
	return out, nil
}

// settled refuses options that the programs do not know, before a pod changes.
func settled(_ context.Context, s *scope) *outcome.Outcome {
	if _, err := Options("spec.config", s.Owner().Spec.Config); err != nil {
		return outcome.Refuse("InvalidConfig", "%v", err)
	}
	return outcome.Done()
}

// flags are the options as the agent takes them.
func flags(o object) ([]string, error) {
	asked, err := Options("spec.config", o.Spec.Config)
	if err != nil {
		return nil, fmt.Errorf("reading options: %w", err)
	}
	var out []string
	for _, a := range asked {
		out = append(out, a.Flag())
	}
	return out, nil
}
