package loadbalancer

import (
	"net/netip"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

func service(name string, age int, change func(*corev1.Service)) *corev1.Service {
	made := metav1.NewTime(time.Unix(int64(1000-age), 0))
	s := &corev1.Service{
		ObjectMeta: metav1.ObjectMeta{Name: name, Namespace: "n", CreationTimestamp: made},
		Spec:       corev1.ServiceSpec{Type: corev1.ServiceTypeLoadBalancer},
	}
	if change != nil {
		change(s)
	}
	return s
}

func has(address string) func(*corev1.Service) {
	return func(s *corev1.Service) {
		s.Status.LoadBalancer.Ingress = []corev1.LoadBalancerIngress{{IP: address}}
	}
}

func wishes(address string) func(*corev1.Service) {
	return func(s *corev1.Service) { s.Spec.LoadBalancerIP = address }
}

func TestAssign(t *testing.T) {
	from := netip.MustParsePrefix("10.0.1.0/30") // .1, .2 and .3
	for name, test := range map[string]struct {
		services []*corev1.Service
		want     map[string]string
	}{
		"oldest first": {
			services: []*corev1.Service{service("young", 1, nil), service("old", 2, nil)},
			want:     map[string]string{"n/old": "10.0.1.1", "n/young": "10.0.1.2"},
		},
		"what it has stays": {
			services: []*corev1.Service{service("old", 2, nil), service("young", 1, has("10.0.1.1"))},
			want:     map[string]string{"n/old": "10.0.1.2", "n/young": "10.0.1.1"},
		},
		"what it has comes before a wish": {
			services: []*corev1.Service{service("old", 2, wishes("10.0.1.1")), service("young", 1, has("10.0.1.1"))},
			want:     map[string]string{"n/old": "10.0.1.2", "n/young": "10.0.1.1"},
		},
		"a wish": {
			services: []*corev1.Service{service("a", 1, wishes("10.0.1.3"))},
			want:     map[string]string{"n/a": "10.0.1.3"},
		},
		"an address of another range is replaced": {
			services: []*corev1.Service{service("a", 1, has("192.0.2.1"))},
			want:     map[string]string{"n/a": "10.0.1.1"},
		},
		"not ours": {
			services: []*corev1.Service{
				service("class", 1, func(s *corev1.Service) { s.Spec.LoadBalancerClass = new("other") }),
				service("cluster", 1, func(s *corev1.Service) { s.Spec.Type = corev1.ServiceTypeClusterIP }),
				service("gone", 1, func(s *corev1.Service) { s.DeletionTimestamp = new(metav1.Now()) }),
			},
			want: map[string]string{},
		},
		"more than there are": {
			services: []*corev1.Service{
				service("a", 4, nil), service("b", 3, nil), service("c", 2, nil), service("d", 1, nil),
			},
			want: map[string]string{"n/a": "10.0.1.1", "n/b": "10.0.1.2", "n/c": "10.0.1.3"},
		},
	} {
		t.Run(name, func(t *testing.T) {
			got := map[string]string{}
			for key, address := range assign(from, test.services) {
				got[key] = address.String()
			}
			if diff := cmp.Diff(test.want, got); diff != "" {
				t.Errorf("assign() (-want +got):\n%s", diff)
			}
		})
	}
}
