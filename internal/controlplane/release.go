package controlplane

import (
	"context"
	"strconv"
	"strings"

	"k8s.io/apimachinery/pkg/types"
	kubeclient "sigs.k8s.io/controller-runtime/pkg/client"

	"stackwright.dev/kit/outcome"

	controlplanev1 "stackwright.dev/stackwright/api/controlplane/v1alpha1"
)

func releaseKey(o *cloud) []types.NamespacedName {
	return []types.NamespacedName{{Name: o.Spec.Release}}
}

// generation is enough of a digest: it moves with every change of what a release names.
func generation(o kubeclient.Object) string {
	return string(o.GetUID()) + "/" + strconv.FormatInt(o.GetGeneration(), 10)
}

func releaseOf(s *scope) *controlplanev1.OpenStackRelease {
	r, _ := s.Get(refRelease).(*controlplanev1.OpenStackRelease)
	return r
}

// image returns the reference of a component; checkRelease has made sure that it is there.
func image(s *scope, component string) string {
	if r := releaseOf(s); r != nil {
		return string(r.Spec.Images[component])
	}
	return ""
}

// Checks are the steps that look at nothing but objects, so that who rehearses can ask them.
func Checks() []string { return []string{stepRelease} }

// checkServices refuses names that are no service. The chart's admission policy does so earlier where it is installed.
func checkServices(_ context.Context, s *scope) *outcome.Outcome {
	if unknown := s.Owner().Spec.Services.Unknown; len(unknown) > 0 {
		return outcome.Refuse("UnknownService", "spec.services has %s, which is no service; name one that exists: %s",
			strings.Join(unknown, ", "), strings.Join(controlplanev1.ServiceNames(), ", "))
	}
	return outcome.Done()
}

// checkRelease refuses a release that does not exist, that is older than what runs, or that lacks an image.
func checkRelease(releases func(context.Context) ([]string, error)) func(context.Context, *scope) *outcome.Outcome {
	return func(ctx context.Context, s *scope) *outcome.Outcome {
		o, release := s.Owner(), releaseOf(s)
		if release == nil {
			names, err := releases(ctx)
			if err != nil {
				return outcome.Fail(outcome.Unavailable, err)
			}
			return unknown(o.Spec.Release, names)
		}
		if older(release.Spec.OpenStack, o.Status.OpenStack) {
			return outcome.Refuse("Downgrade", "release %s is OpenStack %s, and this control plane runs %s: its databases "+
				"cannot go back; set spec.release to %s or a later one",
				release.Name, release.Spec.OpenStack, o.Status.OpenStack, o.Status.Release)
		}
		if missing := missingImages(o, release); len(missing) > 0 {
			return outcome.Refuse("ImageMissing",
				"OpenStackRelease %s names no image for %s; add it to spec.images of the release",
				release.Name, strings.Join(missing, ", "))
		}
		return outcome.Done()
	}
}

// keptRelease tells of a release that somebody has deleted, and that stays for as long as control planes use it.
func keptRelease(_ context.Context, s *scope) *outcome.Outcome {
	o, release := s.Owner(), releaseOf(s)
	if release == nil || release.DeletionTimestamp.IsZero() {
		return outcome.Done()
	}
	out := outcome.Wait("OpenStackRelease "+release.Name, "OpenStackRelease %s was deleted and stays while control "+
		"plane %s in namespace %s uses it; set spec.release to another one, such as a copy of it by another name, or "+
		"delete the control plane", release.Name, o.Name, o.Namespace)
	out.Reason = "ReleaseDeleted"
	return out
}

func unknown(name string, names []string) *outcome.Outcome {
	if len(names) == 0 {
		return outcome.Refuse("UnknownRelease", "OpenStackRelease %s does not exist, nor does any other; "+
			"create it, as stackwright up does", name)
	}
	return outcome.Refuse("UnknownRelease", "OpenStackRelease %s does not exist; set spec.release to one that does: %s",
		name, strings.Join(names, ", "))
}

// missingImages lists the images that the enabled services need and the release does not name.
func missingImages(o *cloud, r *controlplanev1.OpenStackRelease) []string {
	needs := []struct {
		on   bool
		name string
	}{
		{galeraOn(o), imageMariaDB}, {rabbitOn(o), imageRabbitMQ}, {memcachedOn(o), imageMemcached},
		{keystoneOn(o), imageKeystone}, {keystoneOn(o), imageClient},
		{glanceOn(o), imageGlance}, {placementOn(o), imagePlacement},
		{ovnOn(o), imageOVN}, {neutronOn(o), imageNeutron}, {novaOn(o), imageNova},
		{barbicanOn(o), imageBarbican}, {heatOn(o), imageHeat}, {cinderOn(o), imageCinder},
		{horizonOn(o), imageHorizon},
	}
	var out []string
	for _, n := range needs {
		if n.on && r.Spec.Images[n.name] == "" {
			out = append(out, n.name)
		}
	}
	return out
}

// older compares versions such as 2025.1, which the schema has checked; nothing is older than no version.
func older(a, b string) bool {
	ay, an, _ := strings.Cut(a, ".")
	by, bn, _ := strings.Cut(b, ".")
	if ay != by {
		return ay < by
	}
	return an < bn
}
