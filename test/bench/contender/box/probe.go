package box

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"net"
	"net/http"
	"strconv"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"
)

const (
	// pace at which a container is asked whether it is ready.
	pace = 100 * time.Millisecond
	// answerWithin is how long one answer may take.
	answerWithin = 5 * time.Second
)

// Ready waits until each container of a pod passes its readiness probe once. One that ends before is an error.
func (m *Machine) Ready(ctx context.Context, pod *corev1.Pod, all []*Container) error {
	for i, c := range all {
		probe := pod.Spec.Containers[i].ReadinessProbe
		if probe == nil {
			continue
		}
		if err := m.passes(ctx, pod, probe, c); err != nil {
			return err
		}
	}
	return nil
}

func (m *Machine) passes(ctx context.Context, pod *corev1.Pod, probe *corev1.Probe, c *Container) error {
	tick := time.NewTicker(pace)
	defer tick.Stop()
	for {
		asking, stop := context.WithTimeout(ctx, answerWithin)
		err := m.ask(asking, pod, probe, c)
		stop()
		if err == nil {
			return nil
		}
		select {
		case <-ctx.Done():
			return fmt.Errorf("waiting for %s to be ready: %w; it says: %w; its last words are\n%s", c.Name, ctx.Err(), err,
				c.words())
		case <-c.done:
			return errors.Join(errors.New("a container ended before it was ready"), c.Err())
		case <-tick.C:
		}
	}
}

func (m *Machine) ask(ctx context.Context, pod *corev1.Pod, probe *corev1.Probe, c *Container) error {
	switch {
	case probe.Exec != nil:
		_, err := m.Exec(ctx, c, strings.NewReader(""), probe.Exec.Command...)
		return err
	case probe.HTTPGet != nil:
		g := probe.HTTPGet
		scheme := strings.ToLower(or(string(g.Scheme), "http"))
		port := strconv.Itoa(int(number(pod, g.Port)))
		return get(ctx, scheme+"://"+net.JoinHostPort(or(g.Host, pod.Status.PodIP), port)+g.Path)
	case probe.TCPSocket != nil:
		port := strconv.Itoa(int(number(pod, probe.TCPSocket.Port)))
		conn, err := (&net.Dialer{}).DialContext(ctx, "tcp", net.JoinHostPort(pod.Status.PodIP, port))
		if err != nil {
			return err
		}
		return conn.Close()
	}
	return errors.New("its probe is not known here")
}

// get asks as a kubelet does, who looks at no certificate.
func get(ctx context.Context, url string) error {
	client := &http.Client{Transport: &http.Transport{DisableKeepAlives: true,
		TLSClientConfig: &tls.Config{InsecureSkipVerify: true, MinVersion: tls.VersionTLS12}}}
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, url, nil)
	if err != nil {
		return err
	}
	res, err := client.Do(req)
	if err != nil {
		return err
	}
	if err := res.Body.Close(); err != nil {
		return err
	}
	if res.StatusCode >= http.StatusBadRequest {
		return fmt.Errorf("it answers %s", res.Status)
	}
	return nil
}
