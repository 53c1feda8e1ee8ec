package rabbitmq

import (
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"

	infrav1 "stackwright.dev/stackwright/api/infra/v1alpha1"
)

func memory(request, limit string) corev1.ResourceRequirements {
	var r corev1.ResourceRequirements
	if request != "" {
		r.Requests = corev1.ResourceList{corev1.ResourceMemory: resource.MustParse(request)}
	}
	if limit != "" {
		r.Limits = corev1.ResourceList{corev1.ResourceMemory: resource.MustParse(limit)}
	}
	return r
}

func TestWatermark(t *testing.T) {
	for name, test := range map[string]struct {
		request, limit string
		want           int64
	}{
		"60 % of the limit":        {"512Mi", "1Gi", 644245092},
		"nothing given":            {"", "", 512 << 20},
		"a small request":          {"192Mi", "", 512 << 20},
		"a request without limit":  {"2Gi", "", 4 << 30},
		"a limit without requests": {"", "500Mi", 314572800},
	} {
		t.Run(name, func(t *testing.T) {
			if got := watermark(memory(test.request, test.limit)); got != test.want {
				t.Errorf("watermark is %d, want %d", got, test.want)
			}
		})
	}
}

func TestDiskLimit(t *testing.T) {
	for size, want := range map[string]int64{
		"100Mi": 50_000_000, "1Gi": 107374182, "5Gi": 536870912, "100Gi": 2_000_000_000,
	} {
		if got := diskLimit(resource.MustParse(size)); got != want {
			t.Errorf("of a volume of %s, %d must be free, want %d", size, got, want)
		}
	}
}

func TestConfigOfAPerson(t *testing.T) {
	r := &infrav1.RabbitMQ{}
	r.Spec.Config = map[string]infrav1.Line{"queue_leader_locator": "client-local", "consumer_timeout": "60000"}
	conf := Config(r)["rabbitmq.conf"]
	for _, want := range []string{"consumer_timeout = 60000\nqueue_leader_locator = client-local\n"} {
		if !strings.Contains(conf, want) {
			t.Errorf("rabbitmq.conf lacks %q:\n%s", want, conf)
		}
	}
	if n := strings.Count(conf, "queue_leader_locator"); n != 1 {
		t.Errorf("queue_leader_locator is there %d times, want once", n)
	}
}

func TestWithoutTLSOnlyThePlainListenerIsOpen(t *testing.T) {
	r := &infrav1.RabbitMQ{}
	r.Spec.TLS.Disabled = true
	conf := Config(r)["rabbitmq.conf"]
	if !strings.Contains(conf, "listeners.tcp.default = 5672\n") || strings.Contains(conf, "ssl") {
		t.Errorf("rabbitmq.conf is not without TLS:\n%s", conf)
	}
	if !strings.Contains(Config(r)["distribution.config"], "{verify, verify_peer}") {
		t.Error("members talk in plain text")
	}
}
