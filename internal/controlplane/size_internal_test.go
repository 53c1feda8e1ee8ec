package controlplane

import (
	"reflect"
	"slices"
	"testing"

	"k8s.io/apimachinery/pkg/api/resource"

	controlplanev1 "stackwright.dev/stackwright/api/controlplane/v1alpha1"
)

// ascending are the sizes from the least on.
var ascending = []controlplanev1.Size{controlplanev1.SizeDev, controlplanev1.SizeSmall, controlplanev1.SizeMedium,
	controlplanev1.SizeLarge}

// parts are all of a size by their names; a new one is checked without being listed here.
func parts(s sizing) map[string]part {
	out := map[string]part{}
	for field, f := range reflect.ValueOf(s).Fields() {
		count := func(name string) int32 { return int32(f.FieldByName(name).Int()) }
		text := func(name string) string { return f.FieldByName(name).String() }
		out[field.Name] = part{replicas: count("replicas"), workers: count("workers"), cpu: text("cpu"),
			memory: text("memory"), limit: text("limit"), storage: text("storage")}
	}
	return out
}

// What does not parse would be a panic of the operator, at the first control plane of that size.
func TestSizesAreWhatPodsTake(t *testing.T) {
	members := []string{"galera", "rabbitmq", "ovn"} // which need a majority
	for _, size := range ascending {
		for name, p := range parts(sizes(size)) {
			t.Run(string(size)+"/"+name, func(t *testing.T) {
				amount(t, "cpu", p.cpu)
				memory := amount(t, "memory", p.memory)
				if limit := amountOr(t, "limit", p.limit, memory); limit.Cmp(memory) < 0 {
					t.Errorf("it asks for %s of memory, and may take no more than %s", p.memory, p.limit)
				}
				if p.storage != "" {
					amount(t, "storage", p.storage)
				}
				if p.replicas < 1 {
					t.Errorf("it has %d replicas, at least one is wanted", p.replicas)
				}
				if slices.Contains(members, name) && p.replicas%2 == 0 {
					t.Errorf("%d members have no majority when the network is cut in two", p.replicas)
				}
			})
		}
	}
}

func TestSizesGrow(t *testing.T) {
	for i, size := range ascending[1:] {
		smaller := parts(sizes(ascending[i]))
		for name, p := range parts(sizes(size)) {
			t.Run(string(size)+"/"+name, func(t *testing.T) {
				less := smaller[name]
				if p.replicas < less.replicas || p.workers < less.workers {
					t.Errorf("%d replicas of %d workers are fewer than the %d of %d of size %s", p.replicas, p.workers,
						less.replicas, less.workers, ascending[i])
				}
				for what, pair := range map[string][2]string{"cpu": {less.cpu, p.cpu}, "memory": {less.memory, p.memory},
					"limit": {less.limit, p.limit}, "storage": {less.storage, p.storage}} {
					before := amountOr(t, what, pair[0], resource.Quantity{})
					if after := amountOr(t, what, pair[1], resource.Quantity{}); after.Cmp(before) < 0 {
						t.Errorf("%s of %q is less than the %q of size %s", what, pair[1], pair[0], ascending[i])
					}
				}
			})
		}
	}
}

// What others wait for within each of their requests is asked often and does little: with a small part of a busy
// machine each of its answers waits for its turn, and all that asked wait with it.
func TestWhatAllAskComesFirst(t *testing.T) {
	asked := []string{"galera", "rabbitmq", "memcached", "keystone"}
	for _, size := range ascending[:2] { // where pods share few processors
		all := parts(sizes(size))
		for _, name := range asked {
			has := amount(t, "cpu", all[name].cpu)
			for other, p := range all {
				if has.Cmp(amount(t, "cpu", p.cpu)) < 0 && !slices.Contains(asked, other) {
					t.Errorf("in size %s %s asks for %s of a processor and %s, which asks it, for %s", size, name,
						all[name].cpu, other, p.cpu)
				}
			}
		}
	}
}

// An object that was made before the field had a default says nothing.
func TestSizeIsSmallUnlessSaid(t *testing.T) {
	if sizes("") != sizes(controlplanev1.SizeSmall) || sizes("") == sizes(controlplanev1.SizeMedium) {
		t.Error("a control plane that names no size is not a small one")
	}
}

// amount reads a quantity, which is more than nothing.
func amount(t *testing.T, what, text string) resource.Quantity {
	t.Helper()
	q, err := resource.ParseQuantity(text)
	if err != nil || q.Sign() <= 0 {
		t.Errorf("%s is %q: %v", what, text, err)
	}
	return q
}

// amountOr reads a quantity that may be left out.
func amountOr(t *testing.T, what, text string, none resource.Quantity) resource.Quantity {
	t.Helper()
	if text == "" {
		return none
	}
	return amount(t, what, text)
}
