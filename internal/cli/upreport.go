package cli

import (
	"context"
	"fmt"
	"os"
	"strings"
	"time"

	"stackwright.dev/stackwright/internal/cli/progress"
	"stackwright.dev/stackwright/internal/cli/proof"
)

// congratulate tells where the cloud is, how long it took and what to do next.
func (u *ascent) congratulate(r *arrival, took time.Duration) {
	me := os.Args[0]
	fmt.Fprintf(u.out, "\nOpenStack is ready: %s/%s\n", r.survey.Namespace, r.survey.Name)
	for _, e := range r.survey.Endpoints {
		fmt.Fprintf(u.out, "  %-12s %s\n", e.Service, e.Public)
	}
	if r.clouds != "" {
		fmt.Fprintf(u.out, "  %-12s %s\n", "clouds.yaml", r.clouds)
	}
	fmt.Fprintf(u.out, "  %-12s %s\n", "kubeconfig", u.kubeconfig)
	if d := r.proven; d != nil {
		fmt.Fprintf(u.out, "\nA server runs after %.1fs and answers at %s after %.1fs. On its console: %s\n",
			d.active.Seconds(), d.address, d.answered.Seconds(), strings.Join(d.console, "; "))
	}
	fmt.Fprintf(u.out, "\nTook %.1fs: %s\n", took.Seconds(), timings(u.board.Timings()))
	fmt.Fprintf(u.out, "\nTry\n")
	next := [][2]string{
		{me + " openstack token issue", "the OpenStack client, in a pod"},
		{me + " status", "what runs"},
		{me + " tree", "the objects behind it"},
		{me + " why", "what is wrong, when something is"},
	}
	if r.proven != nil {
		next = append(next, [2]string{"curl http://" + r.proven.address.String(), "what the server says of itself"},
			[2]string{me + " openstack server list", "the server; its objects are in namespace " + proof.Namespace})
	}
	for _, e := range r.survey.Endpoints {
		if e.Service == "horizon" && r.clouds != "" {
			next = append(next, [2]string{"grep password: " + r.clouds, "the password of admin, to log in at " + e.Public})
		}
	}
	if r.clouds != "" {
		next = append(next, [2]string{"export OS_CLIENT_CONFIG_FILE=" + r.clouds + " OS_CLOUD=default",
			"for a client on this machine"})
	}
	if u.local {
		next = append(next, [2]string{me + " down", "take everything away again"})
	}
	width := 40
	for _, n := range next {
		if len(n[0]) <= 60 { // one that is longer stands out
			width = max(width, len(n[0]))
		}
	}
	for _, n := range next {
		fmt.Fprintf(u.out, "  %-*s # %s\n", width, n[0], n[1])
	}
	if env := os.Getenv("KUBECONFIG"); env != "" && u.local {
		fmt.Fprintf(u.out, "\nKUBECONFIG is set to %s and wins over this cluster: unset it, or give --kubeconfig %s\n", env,
			u.kubeconfig)
	}
}

func timings(list []progress.Timing) string {
	var parts []string
	for _, t := range list {
		parts = append(parts, fmt.Sprintf("%s %.1fs", t.Part, t.Seconds))
	}
	return strings.Join(parts, ", ")
}

// checkTarget fails early when the cluster of --kubeconfig cannot be used.
func (u *ascent) checkTarget(ctx context.Context) error {
	c, err := u.client()
	if err != nil {
		return err
	}
	for _, r := range u.clusterChecks(ctx, c) {
		if r.State == checkFailed {
			return fmt.Errorf("%s: %s; %s", r.Name, r.Message, r.Do)
		}
	}
	return nil
}
