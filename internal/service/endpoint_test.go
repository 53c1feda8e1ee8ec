package service

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	servicev1 "stackwright.dev/stackwright/api/service/v1alpha1"
)

func TestURLs(t *testing.T) {
	const internal = "https://a-internal.ns.svc:5000/v3"
	by := func(i corev1.LoadBalancerIngress) *corev1.Service {
		s := &corev1.Service{}
		s.Status.LoadBalancer.Ingress = []corev1.LoadBalancerIngress{i}
		return s
	}
	gateway := func(port int32) servicev1.Expose {
		return servicev1.Expose{Type: servicev1.ExposeHTTPRoute, Hostname: "id.example.org",
			Gateway: &servicev1.Gateway{Name: "web", Port: port}}
	}
	cases := map[string]struct {
		expose   servicev1.Expose
		plain    bool
		public   *corev1.Service
		want     string
		internal string
	}{
		"no address yet": {want: ""},
		"address":        {public: by(corev1.LoadBalancerIngress{IP: "192.0.2.1"}), want: "https://192.0.2.1:5000/v3"},
		"IPv6": {public: by(corev1.LoadBalancerIngress{IP: "2001:db8::1"}),
			want: "https://[2001:db8::1]:5000/v3"},
		"name of a balancer": {public: by(corev1.LoadBalancerIngress{Hostname: "lb.example.org"}),
			want: "https://lb.example.org:5000/v3"},
		"hostname": {expose: servicev1.Expose{Hostname: "id.example.org"}, want: "https://id.example.org:5000/v3"},
		"cluster": {expose: servicev1.Expose{Type: servicev1.ExposeClusterIP},
			want: "https://a-public.ns.svc:5000/v3"},
		"gateway":             {expose: gateway(443), want: "https://id.example.org/v3"},
		"gateway, other port": {expose: gateway(8443), want: "https://id.example.org:8443/v3"},
		"gateway, plain":      {expose: gateway(80), want: "http://id.example.org/v3"},
		"plain": {plain: true, public: by(corev1.LoadBalancerIngress{IP: "192.0.2.1"}),
			want: "http://192.0.2.1:5000/v3", internal: "http://a-internal.ns.svc:5000/v3"},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			k := &servicev1.Keystone{ObjectMeta: metav1.ObjectMeta{Name: "a", Namespace: "ns"}}
			k.Spec.Expose, k.Spec.TLS.Disabled = c.expose, c.plain
			s := Service[*servicev1.Keystone]{Port: 5000, Path: "/v3"}
			want := servicev1.Endpoints{Public: c.want, Internal: internal}
			if c.internal != "" {
				want.Internal = c.internal
			}
			if diff := cmp.Diff(want, s.URLs(k, c.public)); diff != "" {
				t.Errorf("the endpoints differ (-want +got):\n%s", diff)
			}
		})
	}
}
