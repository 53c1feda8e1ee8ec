package operator_test

import (
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/prometheus/client_golang/prometheus"

	"stackwright.dev/stackwright/internal/operator"
)

// described collects what is registered. Series in which nobody has counted yet are not gathered.
type described struct {
	prometheus.Registerer
	all chan *prometheus.Desc
}

func (d described) MustRegister(all ...prometheus.Collector) {
	for _, c := range all {
		c.Describe(d.all)
	}
}

// Every metric of ours has a line on the page about them.
func TestMetricsAreDocumented(t *testing.T) {
	page, err := os.ReadFile("../../docs/metrics.md")
	if err != nil {
		t.Fatal(err)
	}
	d := described{all: make(chan *prometheus.Desc, 1000)}
	for _, e := range operator.Registry(operator.Environment{Metrics: d}) {
		if _, err := e.New(nil); err != nil {
			t.Fatal(err)
		}
	}
	close(d.all)
	name, n := regexp.MustCompile(`fqName: "(stackwright_[^"]+)"`), 0
	for desc := range d.all {
		if m := name.FindStringSubmatch(desc.String()); m != nil {
			n++
			if !strings.Contains(string(page), "| `"+m[1]+"` |") {
				t.Errorf("docs/metrics.md has no line for %s", m[1])
			}
		}
	}
	if n < 10 {
		t.Errorf("only %d metrics were found", n)
	}
}
