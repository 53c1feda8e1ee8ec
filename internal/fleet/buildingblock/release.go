package buildingblock

import (
	"context"
	"strings"

	"sigs.k8s.io/controller-runtime/pkg/client"

	"stackwright.dev/kit/outcome"

	controlplanev1 "stackwright.dev/stackwright/api/controlplane/v1alpha1"
	fleetv1 "stackwright.dev/stackwright/api/fleet/v1alpha1"
)

// Images of agents, as a release calls them.
const (
	imageCompute  = "nova-compute"
	imageLibvirt  = "libvirt"
	imageChassis  = "ovn-chassis"
	imageMetadata = "ovn-metadata"
)

// images are what agents run that have no image of their own, by the name of the image.
func images() []string { return []string{imageCompute, imageLibvirt, imageChassis, imageMetadata} }

// agentOf is what a person says of the agent that runs an image, and the name of the agent.
func agentOf(b object, image string) (agent fleetv1.Agent, name string) {
	a := b.Spec.Agents
	switch image {
	case imageLibvirt:
		return a.Libvirt.Agent, "libvirt"
	case imageChassis:
		return a.Chassis.Agent, "chassis"
	case imageMetadata:
		return a.Metadata.Agent, "metadata"
	default:
		return a.NovaCompute, "novaCompute"
	}
}

// runs tells whether hosts of the block have the agent that runs an image.
func runs(b object, image string) bool {
	switch image {
	case imageLibvirt:
		return onNodes(b)
	case imageChassis, imageMetadata:
		return networked(b)
	default:
		return true
	}
}

// pictures is all of a release that a block can need.
func pictures(obj client.Object) string {
	r, ok := obj.(*controlplanev1.OpenStackRelease)
	if !ok {
		return ""
	}
	var out []string
	for _, name := range images() {
		out = append(out, string(r.Spec.Images[name]))
	}
	return strings.Join(out, "\x00")
}

// imageOf is the image that an agent runs: its own, or the release's.
func imageOf(s *scope, name string) string {
	if agent, _ := agentOf(s.Owner(), name); agent.Image != "" {
		return agent.Image
	}
	if r, ok := s.Get(refRelease).(*controlplanev1.OpenStackRelease); ok {
		return string(r.Spec.Images[name])
	}
	return ""
}

// Checks are the steps that look at nothing but objects, so that who rehearses can ask them.
func Checks() []string { return []string{stepRelease} }

// checkImages refuses a block whose agents have no image.
func checkImages(_ context.Context, s *scope) *outcome.Outcome {
	b := s.Owner()
	for _, name := range images() {
		if runs(b, name) && imageOf(s, name) == "" {
			_, agent := agentOf(b, name)
			return outcome.Refuse("ImageMissing", "OpenStackRelease %s names no image for %s, or does not exist; add it to "+
				"spec.images of the release, or set spec.agents.%s.image.", b.Spec.Release, name, agent)
		}
	}
	return outcome.Done()
}
