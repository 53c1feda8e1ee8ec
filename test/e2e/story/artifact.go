package story

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"
)

// Artifacts is the folder that outlives a failed test.
func Artifacts() string {
	if dir := os.Getenv("ARTIFACTS"); dir != "" {
		return dir
	}
	return filepath.Join(root(), "artifacts")
}

// Keep writes what is needed to understand the state of the cluster later into a folder of the artifacts: objects,
// events and logs. Secrets are listed by name only. What cannot be had is left out: a broken cluster is why it is
// called.
func (c Cluster) Keep(name string) string {
	dir := filepath.Join(Artifacts(), name)
	ctx, stop := context.WithTimeout(context.Background(), 5*time.Minute)
	defer stop()
	c.Log = nil
	k := keeper{c, ctx, dir}
	k.kubectl("secrets.txt", "get", "secrets", "-A")
	k.kubectl("pods.txt", "get", "pods", "-A", "-o", "wide")
	k.kubectl("events.txt", "get", "events.events.k8s.io", "-A", "--sort-by=.metadata.creationTimestamp", "-o", "wide")
	k.logs()
	k.causes()
	// All objects take minutes when a machine is busy, so they come last.
	kinds, _ := c.Kubectl(ctx, "api-resources", "--verbs=list", "--no-headers", "-o", "name")
	k.kubectl("objects.yaml", "get", "-A", "-o", "yaml", "--show-managed-fields",
		strings.Join(safe(strings.Fields(kinds)), ","))
	_ = os.CopyFS(filepath.Join(dir, "kubernetes"), os.DirFS(c.Logs()))
	return dir
}

// safe leaves out kinds that are large, useless or confidential.
func safe(kinds []string) []string {
	var list []string
	for _, kind := range kinds {
		switch kind {
		case "secrets", "events", "events.events.k8s.io", "componentstatuses",
			"customresourcedefinitions.apiextensions.k8s.io":
		default:
			list = append(list, kind)
		}
	}
	return list
}

type keeper struct {
	Cluster
	ctx context.Context
	dir string
}

func (k keeper) kubectl(file string, args ...string) {
	out, err := k.Kubectl(k.ctx, args...)
	k.write(file, out, err)
}

// causes keeps what we say ourselves about every control plane.
func (k keeper) causes() {
	list, err := k.Kubectl(k.ctx, "get", "openstackcontrolplanes", "-A", "-o",
		`jsonpath={range .items[*]}{.metadata.namespace} {.metadata.name}{"\n"}{end}`)
	k.write("controlplanes.txt", list, err)
	for line := range strings.Lines(list) {
		fields := strings.Fields(line)
		for _, verb := range []string{"why", "tree"} {
			out, err := k.Stackwright(k.ctx, "-n", fields[0], "-c", fields[1], verb)
			k.write(verb+"/"+strings.Join(fields, "-")+".txt", out, err)
		}
		k.consoles("-n", fields[0], "-c", fields[1], "openstack")
	}
}

// consoles keeps what the guests of a cloud have said on their serial lines.
func (k keeper) consoles(client ...string) {
	list, err := k.Stackwright(k.ctx, append(client, "server", "list", "--all-projects", "-f", "value", "-c", "ID")...)
	if err != nil {
		return // there is no Nova
	}
	for id := range strings.FieldsSeq(list) {
		out, err := k.Stackwright(k.ctx, append(client, "console", "log", "show", id)...)
		k.write("consoles/"+id+".txt", out, err)
	}
}

func (k keeper) write(file, content string, failure error) {
	if failure != nil {
		content += "\n" + failure.Error() + "\n"
	}
	path := filepath.Join(k.dir, file)
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err == nil {
		_ = os.WriteFile(path, []byte(content), 0o600)
	}
}

// logs keeps what every container says, and what the one before it said last.
func (k keeper) logs() {
	const columns = `{range .items[*]}{.metadata.namespace} {.metadata.name}` +
		`{range .status.initContainerStatuses[*]} {.name}:{.restartCount}{end}` +
		`{range .status.containerStatuses[*]} {.name}:{.restartCount}{end}{"\n"}{end}`
	pods, err := k.Kubectl(k.ctx, "get", "pods", "-A", "-o", "jsonpath="+columns)
	k.write("containers.txt", pods, err)
	for line := range strings.Lines(pods) {
		fields := strings.Fields(line)
		for _, container := range fields[min(2, len(fields)):] {
			name, restarts, _ := strings.Cut(container, ":")
			file := fmt.Sprintf("logs/%s/%s/%s", fields[0], fields[1], name)
			args := []string{"logs", "-n", fields[0], fields[1], "-c", name, "--timestamps"}
			k.kubectl(file+".log", args...)
			if restarts != "0" {
				k.kubectl(file+".previous.log", append(args, "--previous")...)
			}
		}
	}
}
