// Command contender makes the cloud of a capture anew, from the same images on the same machine, as a script would that
// does one thing after the other and knows nothing of Kubernetes. It is what make bench-deploy compares with.
package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"time"

	"golang.org/x/sys/unix"

	"stackwright.dev/stackwright/test/bench/contender/box"
	"stackwright.dev/stackwright/test/bench/contender/capture"
)

// options of a replay.
type options struct {
	capture, namespace, release, work, logs, until string
	inside, warm                                   bool
}

func main() {
	o := options{}
	flag.StringVar(&o.capture, "capture", "", "folder with lists of the objects of a cloud, in JSON")
	flag.StringVar(&o.namespace, "namespace", "openstack", "namespace of the cloud")
	flag.StringVar(&o.release, "release", "epoxy", "OpenStack release of the images")
	flag.StringVar(&o.work, "work", "/var/lib/stackwright-contender", "folder for volumes; it goes at the end")
	flag.StringVar(&o.logs, "logs", "", "folder that keeps what containers said")
	flag.StringVar(&o.until, "until", "server-active", "end after this mark: token, core, hosts or server-active")
	flag.BoolVar(&o.warm, "warm", true, "first read all images, as a cluster does into which they are loaded")
	flag.BoolVar(&o.inside, "inside", false, "run in the namespaces that are there; for its own use")
	flag.Parse()
	run := outside
	if o.inside {
		run = inside
	}
	if err := run(o); err != nil {
		fmt.Fprintln(os.Stderr, "contender:", err)
		os.Exit(1)
	}
}

// inside is the replay itself.
func inside(o options) error {
	if err := settle(); err != nil {
		return err
	}
	cloud, err := capture.Read(o.capture, o.namespace)
	if err != nil {
		return err
	}
	images, err := box.Built(o.release)
	if err != nil {
		return err
	}
	if o.warm {
		if err := warm(cloud, images); err != nil {
			return err
		}
	}
	// What others have written before is not to be waited for by our databases.
	unix.Sync()
	began := time.Now()
	ctx := context.Background()
	machine, err := box.Prepare(ctx, images, o.work, node(cloud), links())
	if err != nil {
		return err
	}
	r := &replay{cloud: cloud, machine: machine, images: images, began: began, out: os.Stdout, notes: os.Stderr,
		running: map[string][]*box.Container{}}
	return r.all(ctx, o.until)
}

// warm reads the images of all pods, and that of the server's disk.
func warm(cloud *capture.Cloud, images *box.Images) error {
	guest, err := images.Named("guest")
	if err != nil {
		return err
	}
	refs := []string{guest}
	for _, p := range cloud.Pods {
		for _, c := range p.Spec.Containers {
			refs = append(refs, c.Image)
		}
	}
	return images.Warm(refs)
}

// node is the address of the node that pods ran on.
func node(cloud *capture.Cloud) string {
	for _, p := range cloud.Pods {
		if p.Status.HostIP != "" {
			return p.Status.HostIP
		}
	}
	return "10.0.0.1"
}

// links are what nodes of devcluster have beside their first one: for tunnels, and for the network outside.
func links() []box.Link {
	return []box.Link{{Name: "eth1", Address: "192.168.213.1/24"}, {Name: "eth2"}}
}
