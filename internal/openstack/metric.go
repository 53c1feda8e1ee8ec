package openstack

import (
	"strconv"
	"time"

	"github.com/prometheus/client_golang/prometheus"
)

// metrics count by cloud (host of its Keystone) and service. Tenants choose hosts, so the series of a cloud go when
// its last session does.
type metrics struct {
	requests *prometheus.CounterVec
	duration *prometheus.HistogramVec
	queue    *prometheus.HistogramVec
	auths    *prometheus.CounterVec
	broken   *prometheus.GaugeVec
}

func newMetrics(r prometheus.Registerer) *metrics {
	const prefix = "stackwright_openstack_"
	wide := []float64{.01, .03, .1, .3, 1, 3, 10, 30, 60}
	m := &metrics{
		requests: prometheus.NewCounterVec(prometheus.CounterOpts{Name: prefix + "requests_total",
			Help: "Requests that were sent, by class of status; 0xx is no answer."},
			[]string{"cloud", "service", "method", "code"}),
		duration: prometheus.NewHistogramVec(prometheus.HistogramOpts{Name: prefix + "request_seconds", Buckets: wide,
			Help: "Time from sending a request to its whole answer."}, []string{"cloud", "service", "method"}),
		queue: prometheus.NewHistogramVec(prometheus.HistogramOpts{Name: prefix + "queue_seconds", Buckets: wide,
			Help: "Time a request waited for its turn."}, []string{"cloud", "service", "lane"}),
		auths: prometheus.NewCounterVec(prometheus.CounterOpts{Name: prefix + "authentications_total",
			Help: "Tokens that were asked for, by how it ended."}, []string{"cloud", "result"}),
		broken: prometheus.NewGaugeVec(prometheus.GaugeOpts{Name: prefix + "breaker_open",
			Help: "1 while requests to a service that does not answer fail at once."}, []string{"cloud", "service"}),
	}
	if r != nil {
		r.MustRegister(m.requests, m.duration, m.queue, m.auths, m.broken)
	}
	return m
}

func (m *metrics) sent(c *call, code int, d time.Duration) {
	m.requests.WithLabelValues(c.cloud, c.service, c.method, strconv.Itoa(code/100)+"xx").Inc()
	m.duration.WithLabelValues(c.cloud, c.service, c.method).Observe(d.Seconds())
}

func (m *metrics) queued(c *call, d time.Duration) {
	m.queue.WithLabelValues(c.cloud, c.service, c.lane.clamp().String()).Observe(d.Seconds())
}

func (m *metrics) authenticated(cloud string, err error) {
	result := "ok"
	if err != nil {
		result = ClassOf(err).String()
	}
	m.auths.WithLabelValues(cloud, result).Inc()
}

func (m *metrics) breaker(c *call, closed bool) {
	if c.stream != nil {
		return // the metric is about the gate of the other requests
	}
	value := 1.0
	if closed {
		value = 0
	}
	m.broken.WithLabelValues(c.cloud, c.service).Set(value)
}

func (m *metrics) forget(cloud string) {
	series := prometheus.Labels{"cloud": cloud}
	m.requests.DeletePartialMatch(series)
	m.duration.DeletePartialMatch(series)
	m.queue.DeletePartialMatch(series)
	m.auths.DeletePartialMatch(series)
	m.broken.DeletePartialMatch(series)
}
