package cli

import (
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"maps"
	"os"
	"slices"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/yaml"

	controlplanev1 "stackwright.dev/stackwright/api/controlplane/v1alpha1"
	"stackwright.dev/stackwright/internal/cli/install"
	"stackwright.dev/stackwright/internal/cli/progress"
)

const (
	kindControlPlane = "OpenStackControlPlane"
	kindRelease      = "OpenStackRelease"
)

// arrival is what up has made.
type arrival struct {
	survey *survey
	clouds string
	// nova tells that the control plane runs servers.
	nova   bool
	proven *proven
}

// operators installs CRDs, operators and release.
func (u *ascent) operators(ctx context.Context, p *progress.Part) error {
	c, err := u.client()
	if err != nil {
		return err
	}
	p.Note("applying CRDs")
	if err := install.ApplyCRDs(ctx, c); err != nil {
		return err
	}
	images, err := u.applyRelease(ctx, c)
	if err != nil {
		return err
	}
	p.Note("installing chart %s", operatorRelease)
	replicas, err := standbys(ctx, c)
	if err != nil {
		return err
	}
	changed, err := u.installation().Apply(ctx, map[string]any{"image": images["operator"], "replicas": replicas})
	if err == nil && !changed {
		p.Note("unchanged")
	}
	return err
}

// standbys is how many replicas the operators have: two where they can be on two nodes, so that one of them takes over
// when the other's node is lost. It is a float64 because Helm reads its values back as JSON.
func standbys(ctx context.Context, c client.Reader) (float64, error) {
	nodes := &corev1.NodeList{}
	if err := c.List(ctx, nodes); err != nil {
		return 0, fmt.Errorf("counting nodes: %w", err)
	}
	return float64(min(len(nodes.Items), 2)), nil
}

func (a *app) installation() install.Operator {
	g := a.getter()
	g.Namespace = new(operatorNamespace)
	return install.Operator{Getter: g, Namespace: operatorNamespace, Name: operatorRelease, Log: slog.Default(),
		Timeout: 3 * time.Minute}
}

// applyRelease applies the OpenStackRelease of the images that were built, or reads the one that the cluster has.
func (u *ascent) applyRelease(ctx context.Context, c client.Client) (map[string]string, error) {
	if u.needsImages() {
		images, err := u.references()
		if err != nil {
			return nil, err
		}
		return images, apply(ctx, c, releaseObject(u.release, images))
	}
	r := &controlplanev1.OpenStackRelease{}
	if err := c.Get(ctx, client.ObjectKey{Name: u.release}, r); err != nil {
		if apierrors.IsNotFound(err) {
			return nil, fmt.Errorf("the cluster has no OpenStackRelease %s; "+
				"give --registry so that images are built and pushed, "+
				"or create it", u.release)
		}
		return nil, fmt.Errorf("reading release %s: %w", u.release, err)
	}
	images := map[string]string{}
	for name, ref := range r.Spec.Images {
		images[name] = string(ref)
	}
	if images["operator"] == "" {
		return nil, fmt.Errorf("OpenStackRelease %s names no image for operator; add it to spec.images", u.release)
	}
	return images, nil
}

// versions are the OpenStack versions of the releases that images are built for.
func versions(release string) string {
	return map[string]string{"zed": "2022.2", "antelope": "2023.1", "bobcat": "2023.2", "caracal": "2024.1",
		"dalmatian": "2024.2", "epoxy": "2025.1", "flamingo": "2025.2", "gazpacho": "2026.1"}[release]
}

func releaseObject(release string, images map[string]string) *unstructured.Unstructured {
	refs := map[string]any{}
	for name, ref := range images {
		refs[name] = ref
	}
	return object(kindRelease, "", release, map[string]any{"openstack": versions(release), "images": refs})
}

func object(kind, namespace, name string, spec map[string]any) *unstructured.Unstructured {
	u := &unstructured.Unstructured{Object: map[string]any{"spec": spec}}
	u.SetGroupVersionKind(controlplanev1.GroupVersion.WithKind(kind))
	u.SetNamespace(namespace)
	u.SetName(name)
	return u
}

func apply(ctx context.Context, c client.Client, u *unstructured.Unstructured) error {
	err := c.Apply(ctx, client.ApplyConfigurationFromUnstructured(u), client.FieldOwner(install.FieldManager),
		client.ForceOwnership)
	if err != nil {
		return fmt.Errorf("applying %s %s: %w", u.GetKind(), u.GetName(), err)
	}
	return nil
}

// cloud makes the control plane and waits until it is ready.
func (u *ascent) cloud(ctx context.Context, p *progress.Part, result *arrival) error {
	c, err := u.client()
	if err != nil {
		return err
	}
	want, err := u.controlPlane(ctx, c, p)
	if err != nil {
		return err
	}
	if want != nil {
		ns := &corev1.Namespace{}
		ns.Name = want.GetNamespace()
		if err := client.IgnoreAlreadyExists(c.Create(ctx, ns)); err != nil {
			return fmt.Errorf("making namespace %s: %w", ns.Name, err)
		}
		if err := apply(ctx, c, want); err != nil {
			return err
		}
		u.namespace, u.controlplane = want.GetNamespace(), want.GetName()
	}
	if err := u.recruit(ctx, c); err != nil {
		return err
	}
	return u.await(ctx, c, p, result)
}

// controlPlane is what is to be applied; nil when a control plane exists, of which only what was asked for is changed.
func (u *ascent) controlPlane(ctx context.Context, c client.Client, p *progress.Part,
) (*unstructured.Unstructured, error) {
	if u.file != "" {
		return u.fromFile()
	}
	o := &controlplanev1.OpenStackControlPlane{}
	err := c.Get(ctx, client.ObjectKey{Namespace: u.ns(), Name: u.name()}, o)
	if err == nil {
		u.controlplane = u.name()
		return nil, u.change(ctx, c, p, o)
	}
	if client.IgnoreNotFound(err) != nil {
		return nil, fmt.Errorf("looking for a control plane: %w", err)
	}
	spec := map[string]any{"release": u.release, "size": string(controlplanev1.SizeDev)}
	if services := u.services(); services != nil {
		spec["services"] = services
	}
	if u.sizeSet {
		spec["size"] = u.size
	}
	return object(kindControlPlane, u.ns(), u.name(), spec), nil
}

// change gives a control plane the size that a person asked for, and the services of the profile that it lacks. Nothing
// else of it changes, and no service is taken away.
func (u *ascent) change(ctx context.Context, c client.Client, p *progress.Part,
	o *controlplanev1.OpenStackControlPlane,
) error {
	spec := map[string]any{}
	if u.sizeSet && o.Spec.Size != controlplanev1.Size(u.size) {
		spec["size"] = u.size
	}
	if u.profileSet {
		lacks, more, err := u.compare(o)
		if err != nil {
			return err
		}
		if len(lacks) > 0 {
			spec["services"] = lacks
			p.Note("%s gets %s", o.Name, strings.Join(slices.Sorted(maps.Keys(lacks)), ", "))
		}
		if len(more) > 0 {
			p.Note("%s keeps %s; to go without one set services.<name>.enabled: false", o.Name,
				strings.Join(more, ", "))
		}
	}
	if len(spec) == 0 {
		return nil
	}
	patch, err := json.Marshal(map[string]any{"spec": spec})
	if err != nil {
		return fmt.Errorf("changing %s: %w", o.Name, err)
	}
	err = c.Patch(ctx, o, client.RawPatch(types.MergePatchType, patch), client.FieldOwner(install.FieldManager))
	if err != nil {
		return fmt.Errorf("changing %s: %w", o.Name, err)
	}
	return nil
}

// basic are the services of each profile. No profile says anything about them.
var basic = []string{"galera", "rabbitmq", "memcached", "ovn", "keystone"}

// compare returns what a control plane lacks of the profile, and names the services that it has besides. One that is
// turned off is as good as none; its settings stay as they are.
func (u *ascent) compare(o *controlplanev1.OpenStackControlPlane) (lacks map[string]any, more []string, err error) {
	has, err := runtime.DefaultUnstructuredConverter.ToUnstructured(&o.Spec.Services)
	if err != nil {
		return nil, nil, fmt.Errorf("reading the services of %s: %w", o.Name, err)
	}
	lacks = u.services()
	for name, settings := range has {
		service, _ := settings.(map[string]any)
		enabled, said := service["enabled"].(bool)
		_, wanted := lacks[name]
		switch off := said && !enabled; {
		case wanted && off:
			lacks[name] = map[string]any{"enabled": true}
		case wanted:
			delete(lacks, name)
		// Cinder comes with a store for volumes, which no profile makes.
		case !off && !slices.Contains(basic, name) && (name != "cinder" || u.profile == profileKeystone):
			more = append(more, name)
		}
	}
	slices.Sort(more)
	return lacks, more, nil
}

func (u *ascent) fromFile() (*unstructured.Unstructured, error) {
	data, err := os.ReadFile(u.file)
	if err != nil {
		return nil, usage(fmt.Errorf("reading the control plane: %w", err))
	}
	o := &unstructured.Unstructured{}
	if err := yaml.Unmarshal(data, &o.Object); err != nil {
		return nil, usage(fmt.Errorf("parsing %s: %w", u.file, err))
	}
	if o.GetKind() != kindControlPlane || o.GetName() == "" {
		return nil, usage(fmt.Errorf("%s holds no %s with a name; it has kind %q", u.file, kindControlPlane, o.GetKind()))
	}
	if o.GetNamespace() == "" {
		o.SetNamespace(u.ns())
	}
	for _, x := range []struct{ flag, asked, has string }{
		{"namespace", u.namespace, o.GetNamespace()}, {"control-plane", u.controlplane, o.GetName()},
	} {
		if x.asked != "" && x.asked != x.has {
			return nil, usage(fmt.Errorf("--%s is %s and %s has %s; leave out the flag, or change the file", x.flag, x.asked,
				u.file, x.has))
		}
	}
	return o, nil
}

// await follows the control plane until it is ready.
func (u *ascent) await(ctx context.Context, c client.Client, p *progress.Part, result *arrival) error {
	last := lull{since: time.Now()}
	var doubt forbearance
	for {
		var s *survey
		asked := time.Now()
		o, err := u.find(ctx, c)
		if err == nil {
			s, err = look(ctx, c, o)
		}
		if ctx.Err() != nil {
			return fmt.Errorf("waiting for the control plane: %w", ctx.Err())
		}
		if !doubt.bears(err) {
			return err
		}
		if err != nil {
			s = &survey{Readiness: Readiness{Reason: "Unknown", Message: err.Error()}}
		}
		if s.Ready {
			result.survey, result.nova = s, o.Spec.Services.Nova != nil
			if o.Status.Clouds == "" {
				// Without Keystone there is nothing that a client could talk to.
				return nil
			}
			result.clouds, _, err = u.writeClouds(ctx, c, o)
			return err
		}
		now := lack{line: s.oneLine()}
		if o != nil {
			now.of = o
		}
		if err := u.tell(ctx, p, &last, now); err != nil {
			return err
		}
		select {
		case <-ctx.Done():
			return fmt.Errorf("waiting for the control plane: %w", ctx.Err())
		case <-time.After(pause(time.Since(asked))):
		}
	}
}

// lull is since when what there is to tell has been the same.
type lull struct {
	line  string
	since time.Time
}

// tell notes a line that is another one than the last, and the first cause when there has been none for long.
func (u *ascent) tell(ctx context.Context, p *progress.Part, last *lull, now lack) error {
	switch {
	case now.line != last.line:
		*last = lull{line: now.line, since: time.Now()}
		p.Note("%s", now.line)
	case time.Since(last.since) > u.patience && now.of != nil:
		last.since = time.Now()
		return u.hint(ctx, p, now.of)
	}
	return nil
}

// patience is how long nothing may change before up says what the first cause is.
const patience = 45 * time.Second

// hint notes the first cause of a wait for an object. It is an error when the wait is in vain: what was refused for a
// moment, such as for a release that an operator had not seen yet, is not any more by now.
func (u *ascent) hint(ctx context.Context, p *progress.Part, of client.Object) error {
	c, err := u.client()
	if err != nil {
		return err
	}
	gvk, err := c.GroupVersionKindFor(of)
	if err != nil {
		return fmt.Errorf("looking for the cause of a wait: %w", err)
	}
	f, err := explainer(c).Explain(ctx, gvk, client.ObjectKeyFromObject(of))
	if err == nil && f != nil {
		if err := refusal(ctx, c, f); err != nil {
			return fmt.Errorf("waiting for %s %s: %w", gvk.Kind, of.GetName(), err)
		}
		first := f.First()
		p.Note("no change for a while; %s: %s: %s", first.Object, first.Reason, brief(first.Message))
	}
	return nil
}
