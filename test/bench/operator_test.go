//go:build bench

package bench

import (
	"bufio"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"
)

// memoryLimit is what a container with 300 MiB tells the runtime.
const memoryLimit = "270MiB"

// operator is a process of the real operator that runs the controllers of OpenStack resources.
type operator struct {
	t       *testing.T
	cmd     *exec.Cmd
	metrics string
}

func (w *world) operate() *operator {
	w.t.Helper()
	var config net.ListenConfig
	l, err := config.Listen(w.t.Context(), "tcp", "127.0.0.1:0")
	if err != nil {
		w.t.Fatal(err)
	}
	o := &operator{t: w.t, metrics: l.Addr().String()}
	if err := l.Close(); err != nil {
		w.t.Fatal(err)
	}
	file, err := os.Create(filepath.Join(w.t.ArtifactDir(), "operator.log"))
	if err != nil {
		w.t.Fatal(err)
	}
	o.cmd = exec.CommandContext(w.t.Context(), root+"/bin/stackwright-operator", "--controllers=resources",
		"--metrics="+o.metrics, "--health=0", "--log-level=error", "--local-clouds")
	o.cmd.Env = append(os.Environ(), "KUBECONFIG="+w.kubeconfig, "GOMEMLIMIT="+memoryLimit)
	o.cmd.Stdout, o.cmd.Stderr = file, file
	if err := o.cmd.Start(); err != nil {
		w.t.Fatal(err)
	}
	w.t.Cleanup(o.stop)
	return o
}

func (o *operator) stop() {
	_ = o.cmd.Process.Signal(os.Interrupt)
	_ = o.cmd.Wait() // the second call says that it is over
}

// sum adds the series of a metric whose labels have all the words.
func (o *operator) sum(metric string, words ...string) (total float64) {
	resp, err := http.Get("http://" + o.metrics + "/metrics") //nolint:noctx // a figure that comes late is of no use
	if err != nil {
		return 0
	}
	defer resp.Body.Close()
	lines := bufio.NewScanner(resp.Body)
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		name, value, _ := strings.Cut(lines.Text(), " ")
		labels, ok := strings.CutPrefix(name, metric)
		if !ok || labels != "" && labels[0] != '{' {
			continue
		}
		all := true
		for _, word := range words {
			all = all && strings.Contains(labels, word)
		}
		if n, err := strconv.ParseFloat(value, 64); err == nil && all {
			total += n
		}
	}
	return total
}

func (o *operator) memory() float64 { return o.sum("process_resident_memory_bytes") / (1 << 20) }

func (o *operator) runs() float64 { return o.sum("controller_runtime_reconcile_total") }

func (o *operator) requests(words ...string) float64 {
	return o.sum("rest_client_requests_total", words...)
}

// settled waits until there were as many runs, and no more for some seconds.
func (o *operator) settled(limit time.Duration, runs float64) {
	o.t.Helper()
	begin, last, quiet := time.Now(), 0.0, time.Now()
	for {
		n := o.runs()
		if n != last {
			last, quiet = n, time.Now()
		}
		if n >= runs && time.Since(quiet) > 5*time.Second {
			return
		}
		if time.Since(begin) > limit {
			o.t.Fatalf("after %s there were %.0f runs, want %.0f and then none", limit, n, runs)
		}
		<-time.After(250 * time.Millisecond)
	}
}
