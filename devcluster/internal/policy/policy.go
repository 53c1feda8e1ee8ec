// Package policy enforces network policies: what passes between pods, and between them and the world, is filtered on
// the pods' own nodes. A node itself, and its kubelet's probes, always reach its pods.
package policy

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os/exec"
	"strings"
	"time"

	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/client-go/informers"
	corelisters "k8s.io/client-go/listers/core/v1"
	networkinglisters "k8s.io/client-go/listers/networking/v1"
	"k8s.io/client-go/tools/cache"
	"k8s.io/klog/v2"

	"stackwright.dev/devcluster/internal/cluster"
	"stackwright.dev/devcluster/internal/namespace"
)

const retryAfter = 2 * time.Second

// Enforcer keeps the packet rules of all nodes.
type Enforcer struct {
	cluster    func() *cluster.Cluster
	pods       corelisters.PodLister
	namespaces corelisters.NamespaceLister
	policies   networkinglisters.NetworkPolicyLister
	applied    map[string]string // rules by node, as this process has set them
	wake       chan struct{}
}

// New listens to what factory watches.
func New(factory informers.SharedInformerFactory, c func() *cluster.Cluster) (*Enforcer, error) {
	enforcer := &Enforcer{
		cluster: c, applied: map[string]string{}, wake: make(chan struct{}, 1),
		pods:       factory.Core().V1().Pods().Lister(),
		namespaces: factory.Core().V1().Namespaces().Lister(),
		policies:   factory.Networking().V1().NetworkPolicies().Lister(),
	}
	for _, informer := range []cache.SharedIndexInformer{
		factory.Core().V1().Pods().Informer(),
		factory.Core().V1().Namespaces().Informer(),
		factory.Networking().V1().NetworkPolicies().Informer(),
	} {
		_, err := informer.AddEventHandler(cache.ResourceEventHandlerFuncs{
			AddFunc:    func(any) { enforcer.Wake() },
			UpdateFunc: func(_, _ any) { enforcer.Wake() },
			DeleteFunc: func(any) { enforcer.Wake() },
		})
		if err != nil {
			return nil, fmt.Errorf("watching: %w", err)
		}
	}
	return enforcer, nil
}

// Wake has everything looked at once more.
func (e *Enforcer) Wake() {
	select {
	case e.wake <- struct{}{}:
	default: // it will be looked at anyway
	}
}

// Run works until ctx is done.
func (e *Enforcer) Run(ctx context.Context) {
	for {
		var retry <-chan time.Time
		if err := e.sync(); err != nil {
			klog.ErrorS(err, "enforcing network policies")
			retry = time.After(retryAfter)
		}
		select {
		case <-ctx.Done():
			return
		case <-e.wake:
		case <-retry:
		}
	}
}

func (e *Enforcer) sync() error {
	world, err := e.world()
	if err != nil {
		return err
	}
	c := e.cluster()
	present := map[string]string{}
	var errs []error
	for _, node := range c.Nodes {
		rules, err := world.Rules(node.Name)
		if err == nil && e.applied[node.Name] != rules {
			err = set(c.NodeNetwork(node.Name), rules)
		}
		if err != nil {
			errs = append(errs, fmt.Errorf("filtering on %s: %w", node.Name, err))
			continue
		}
		present[node.Name] = rules
	}
	e.applied = present // forgets removed nodes, whose successors begin without rules
	return errors.Join(errs...)
}

func (e *Enforcer) world() (World, error) {
	policies, err := e.policies.List(labels.Everything())
	if err != nil {
		return World{}, fmt.Errorf("listing network policies: %w", err)
	}
	if len(policies) == 0 {
		return World{}, nil
	}
	pods, err := e.pods.List(labels.Everything())
	if err != nil {
		return World{}, fmt.Errorf("listing pods: %w", err)
	}
	namespaces, err := e.namespaces.List(labels.Everything())
	if err != nil {
		return World{}, fmt.Errorf("listing namespaces: %w", err)
	}
	return World{Pods: pods, Namespaces: namespaces, Policies: policies}, nil
}

// set replaces a node's rules in one step: no packet sees the old ones gone and the new ones not there.
func set(network, rules string) error {
	command := exec.Command("nft", "--file", "-")
	command.Stdin = strings.NewReader("table ip devcluster\ndelete table ip devcluster\n" + rules)
	output := &bytes.Buffer{}
	command.Stdout, command.Stderr = output, output
	if err := (namespace.Set{Network: namespace.Network(network)}).Do(command.Run); err != nil {
		return fmt.Errorf("setting packet rules: %w: %s", err, output)
	}
	return nil
}
