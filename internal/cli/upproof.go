package cli

import (
	"bytes"
	"cmp"
	"context"
	"crypto/rand"
	"fmt"
	"net/netip"
	"slices"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"stackwright.dev/kit/gate"

	controlplanev1 "stackwright.dev/stackwright/api/controlplane/v1alpha1"
	openstackv1 "stackwright.dev/stackwright/api/openstack/v1alpha1"
	"stackwright.dev/stackwright/internal/cli/progress"
	"stackwright.dev/stackwright/internal/cli/proof"
)

// proven is a server that answered.
type proven struct {
	address netip.Addr
	// active and answered are how long after its objects were applied it ran, and answered.
	active, answered time.Duration
	// console are the lines that it wrote about itself.
	console []string
}

// prove boots a server from objects, and asks it from this machine.
func (u *ascent) prove(ctx context.Context, p *progress.Part, result *arrival) error {
	c, err := u.client()
	if err != nil {
		return err
	}
	place, objects, err := u.demo(ctx, c)
	if err != nil {
		return err
	}
	began := time.Now()
	if err := u.declare(ctx, c, p, objects); err != nil {
		return err
	}
	done := &proven{address: place.Floating(), active: time.Since(began)}
	p.Note("the server runs; pinging %s", done.address)
	err = u.follow(ctx, p, func(ctx context.Context) (lack, error) {
		silent := lack{}
		if err := proof.Ping(ctx, done.address); err != nil {
			silent.line = err.Error()
		}
		return silent, nil
	})
	if err != nil {
		return err
	}
	done.answered = time.Since(began)
	result.proven = done
	return u.follow(ctx, p, func(ctx context.Context) (lack, error) {
		done.console, err = u.console(ctx)
		if err == nil && len(done.console) < place.Says() {
			return lack{line: "the server has not said yet who it is and what it has"}, nil
		}
		return lack{}, err
	})
}

// prepare makes what a server needs, as far as that needs no host.
func (u *ascent) prepare(ctx context.Context, p *progress.Part) error {
	c, err := u.client()
	if err != nil {
		return err
	}
	_, objects, err := u.demo(ctx, c)
	if err != nil {
		return err
	}
	return u.declare(ctx, c, p, slices.DeleteFunc(objects, func(o *unstructured.Unstructured) bool {
		return o.GetKind() == "Server" || o.GetKind() == "ServerVolumeAttachment"
	}))
}

// declare applies the objects and waits for them. An address with nobody behind it is asked again ever more seldom, so
// that what serves the disk of the server comes first.
func (u *ascent) declare(ctx context.Context, c client.Client, p *progress.Part,
	objects []*unstructured.Unstructured) error {
	ours := func(o *unstructured.Unstructured) bool {
		return o.GroupVersionKind().Group == openstackv1.GroupVersion.Group
	}
	for _, later := range []bool{false, true} {
		for _, o := range objects {
			if ours(o) != later {
				continue
			}
			if err := apply(ctx, c, o); err != nil {
				return err
			}
		}
		err := u.follow(ctx, p, func(ctx context.Context) (lack, error) {
			return missing(ctx, c, slices.DeleteFunc(slices.Clone(objects), func(o *unstructured.Unstructured) bool {
				return ours(o) != later
			}))
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// demo are the objects of the server. The disk of the server is in one of our images.
func (u *ascent) demo(ctx context.Context, c client.Client) (proof.Place, []*unstructured.Unstructured, error) {
	o, err := u.find(ctx, c)
	if err != nil {
		return proof.Place{}, nil, err
	}
	out, err := u.outside(ctx)
	if err != nil {
		return proof.Place{}, nil, err
	}
	image, err := releaseImage(ctx, c, o, "guest")
	if err != nil {
		return proof.Place{}, nil, err
	}
	password, err := visitor(ctx, c)
	if err != nil {
		return proof.Place{}, nil, err
	}
	place := proof.Place{Namespace: o.Namespace, Secret: o.Status.Clouds, Password: password, Image: image,
		Outside: out.Network, Gateway: out.Gateway, Volumes: stores(o)}
	objects, err := place.Objects()
	return place, objects, err
}

// visitor is the password of the demo's user: the one that an earlier up has drawn, or a new one.
func visitor(ctx context.Context, c client.Reader) (string, error) {
	s := &corev1.Secret{}
	err := c.Get(ctx, client.ObjectKey{Namespace: proof.Namespace, Name: proof.User}, s)
	if client.IgnoreNotFound(err) != nil {
		return "", fmt.Errorf("reading Secret %s/%s: %w", proof.Namespace, proof.User, err)
	}
	return cmp.Or(string(s.Data[proof.KeyPassword]), rand.Text()), nil
}

// releaseImage is the reference of an image that no service runs.
func releaseImage(ctx context.Context, c client.Reader, o *controlplanev1.OpenStackControlPlane, name string) (string,
	error) {
	release := &controlplanev1.OpenStackRelease{}
	if err := c.Get(ctx, client.ObjectKey{Name: o.Spec.Release}, release); err != nil {
		return "", fmt.Errorf("reading release %s: %w", o.Spec.Release, err)
	}
	image := string(release.Spec.Images[name])
	if image == "" {
		return "", fmt.Errorf("OpenStackRelease %s names no image for %s; add it to spec.images", release.Name, name)
	}
	return image, nil
}

// missing tells which of the objects is not ready, the server last: it waits for the others.
func missing(ctx context.Context, c client.Client, objects []*unstructured.Unstructured) (last lack, err error) {
	for _, o := range objects {
		if o.GetKind() == "Secret" || o.GetKind() == "Namespace" { // there, or not
			continue
		}
		// An object of ours that its operator has not seen yet has no status, which those of others may never have.
		var now client.Object = o.DeepCopy()
		if known, err := c.Scheme().New(o.GroupVersionKind()); err == nil {
			if typed, ok := known.(client.Object); ok {
				now = typed
			}
		}
		if err := c.Get(ctx, client.ObjectKeyFromObject(o), now); err != nil {
			return lack{}, fmt.Errorf("looking for %s %s: %w", o.GetKind(), o.GetName(), err)
		}
		ok, why := gate.For(now)(now)
		switch {
		case ok:
		case o.GetKind() == "Server":
			last = lack{why, now}
		default:
			return lack{why, now}, nil
		}
	}
	return last, nil
}

// console are the marked lines that the server wrote.
func (u *ascent) console(ctx context.Context) ([]string, error) {
	quiet := *u.app
	var out, errs bytes.Buffer
	quiet.in, quiet.out, quiet.err = strings.NewReader(""), &out, &errs
	if err := quiet.inClient(ctx, []string{"openstack", "console", "log", "show", "web"}, false); err != nil {
		return nil, fmt.Errorf("reading the server's console: %w: %s", err, strings.TrimSpace(errs.String()))
	}
	return spoken(out.String()), nil
}

// spoken are the lines that a server wrote of itself. The shell that waits on the same line may have written first.
func spoken(console string) []string {
	var lines []string
	for line := range strings.Lines(console) {
		if _, text, marked := strings.Cut(strings.TrimSpace(line), "### "); marked && strings.Contains(text, " says ") {
			lines = append(lines, text)
		}
	}
	return lines
}
