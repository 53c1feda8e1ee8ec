package cli

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"sigs.k8s.io/controller-runtime/pkg/client"

	controlplanev1 "stackwright.dev/stackwright/api/controlplane/v1alpha1"
	"stackwright.dev/stackwright/internal/cli/progress"
)

// devcluster puts a program of that name beside the test's. Its cluster has the kubeconfig, or none when that is empty.
// The function returned tells what it was asked to do.
func devcluster(t *testing.T, kubeconfig string) func() string {
	t.Helper()
	self, err := os.Executable()
	must(t, err)
	program := filepath.Join(filepath.Dir(self), "devcluster")
	log := filepath.Join(t.TempDir(), "asked")
	must(t, os.WriteFile(program, fmt.Appendf(nil, `#!/bin/sh
if [ "$1" = kubeconfig ]; then exec cat '%s'; fi
echo "$*" >>'%s'
`, kubeconfig, log), 0o700))
	t.Cleanup(func() { must(t, os.Remove(program)) })
	return func() string {
		asked, _ := os.ReadFile(log)
		return strings.TrimSpace(string(asked))
	}
}

// keep writes a file into the state folder, as up does.
func (w *world) keep(name string, content []byte) string {
	w.t.Helper()
	file := filepath.Join(w.state, "stackwright", name)
	must(w.t, writeFile(file, content))
	return file
}

// upTo makes the world's cluster one on this machine that up has made and keeps the kubeconfig of.
func (w *world) upTo(devcluster string) {
	w.t.Helper()
	content, err := os.ReadFile(w.kubeconfig)
	must(w.t, err)
	file := w.keep(devcluster+"/kubeconfig", content)
	must(w.t, record{Kubeconfig: file, Devcluster: devcluster, Namespace: "openstack"}.save())
}

// left are the paths of the files in the state folder.
func (w *world) left() []string {
	w.t.Helper()
	var out []string
	must(w.t, filepath.WalkDir(w.state, func(path string, e os.DirEntry, err error) error {
		if err == nil && path != w.state {
			out = append(out, strings.TrimPrefix(path, w.state+"/stackwright/"))
		}
		return err
	}))
	return out
}

// ups are what may be in the state folder before a down.
var ups = map[string]func(*world){
	"never":          func(*world) {},
	"local":          func(w *world) { w.upTo("lab") },
	"local, damaged": func(w *world) { must(w.t, record{Kubeconfig: "/none", Devcluster: "lab"}.save()) },
	"local, foreign": func(w *world) {
		w.upTo("dev")
		must(w.t, record{Kubeconfig: w.kubeconfig, Namespace: "openstack"}.save())
	},
	"foreign, no file": func(w *world) { must(w.t, record{Kubeconfig: "/none"}.save()) },
	"unread":           func(w *world) { w.keep(recordFile, []byte("{")) },
	"no record":        func(w *world) { w.keep("a/kubeconfig", nil) },
}

// What down takes away when flags say nothing, or not enough. A cluster on this machine goes unasked and with its data,
// so it has to be the one of the last up.
func TestWhatDownTakesAway(t *testing.T) {
	const env = "/kube/config"
	for name, c := range map[string]struct{ ups, env, line, asked, says string }{
		"the last":            {ups: "local", asked: "down --name lab"},
		"the last, half gone": {ups: "local, damaged", asked: "down --name lab"},
		"a named one":         {ups: "local", line: "--devcluster other", asked: "down --name other"},
		"foreign":             {ups: "local, foreign", says: "plane cloud is live; to delete it give --confirm cloud"},
		"foreign, wrong":      {ups: "local, foreign", line: "--confirm dev", says: "give --confirm cloud"},
		"foreign, told":       {ups: "local, foreign", says: "one on this machine goes with --devcluster NAME"},
		"local by name":       {ups: "local, foreign", line: "--devcluster dev", asked: "down --name dev"},
		"no file":             {ups: "foreign, no file", says: "stat /none: no such file or directory; give its"},
		"unread":              {ups: "unread", says: "name the cluster with --kubeconfig or --devcluster"},
		"never":               {ups: "never", asked: "down --name dev"},
		"no record":           {ups: "no record", says: "name the cluster on this machine to take away with --devcluster: a"},
		"KUBECONFIG": {ups: "local", env: env, asked: "down --name lab",
			says: "KUBECONFIG is /kube/config, which down does not look at; to work on its cluster give --kubeconfig"},
		"KUBECONFIG, foreign": {ups: "local, foreign", env: env, says: "give --confirm cloud"},
		"KUBECONFIG, named":   {ups: "local", env: "/k", line: "--devcluster lab", asked: "down --name lab"},
		"context":             {ups: "local", line: "--context prod", says: "names no cluster for down; give --kubeconfig"},
		"empty":               {ups: "local", line: "--kubeconfig=", says: "--kubeconfig is empty; give the file"},
		"confirmed":           {ups: "local", line: "--confirm cloud", says: "give --kubeconfig, or leave out --confirm"},
		"one of two planes":   {ups: "local", line: "-c cloud", says: "give --kubeconfig, or leave out --control-plane"},
		"one of a namespace":  {ups: "local", line: "-n openstack", says: "all its data; give --kubeconfig, or leave out"},
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t, ready)
			asked := devcluster(t, "/none")
			ups[c.ups](w)
			t.Setenv("KUBECONFIG", c.env)
			code := exitDone
			if c.asked == "" {
				code = exitUsage
			}
			r := run(t, "", append([]string{"down"}, strings.Fields(c.line)...)...).want(t, code, c.says)
			if got := asked(); got != c.asked {
				t.Errorf("devcluster is asked for %q, want %q: %s", got, c.asked, r.err)
			}
			if noted := strings.Contains(r.err, "does not look at"); noted != (c.env == env) {
				t.Errorf("whether KUBECONFIG counts is told: %v\n%s", noted, r.err)
			}
			if n := w.writes.Load(); n > 0 {
				t.Errorf("%d requests change a control plane that nobody has confirmed", n)
			}
		})
	}
}

// up does not look at KUBECONFIG either, and says so before minutes go by.
func TestUpTakesNoClusterInSilence(t *testing.T) {
	home(t, t.TempDir())
	t.Setenv("KUBECONFIG", "/kube/config")
	run(t, "", "up", "-f", ready).want(t, exitUsage, "KUBECONFIG is /kube/config, which up does not look at")
	run(t, "", "up", "--context", "prod").want(t, exitUsage, "--context prod alone names no cluster for up")
}

// A cluster on this machine goes with what clients got of it, by whichever kubeconfig they asked. What else somebody
// put there stays.
func TestDownLeavesNoPasswords(t *testing.T) {
	for name, known := range map[string]bool{"whole": true, "broken": false} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t, ready)
			file := w.kubeconfig
			if !known {
				file = "/none"
			}
			asked := devcluster(t, file)
			w.upTo("lab")
			w.run("clouds-yaml").want(t, exitDone)
			run(t, "", "clouds-yaml").want(t, exitDone)
			if got := len(w.left()); got != 9 {
				t.Fatalf("two clouds.yaml make %d files and folders: %v", got, w.left())
			}
			w.keep("lab/clouds.yaml.new", nil) // of one that was killed
			mine := w.keep("lab/mine", nil)
			other := w.keep("openstack-cloud-00000000/clouds.yaml", nil)
			run(t, "", "down").want(t, exitDone)
			const want = "lab lab/mine openstack-cloud-00000000 openstack-cloud-00000000/clouds.yaml"
			if got := strings.Join(w.left()[1:], " "); got != want {
				t.Errorf("left is %s, want %s", got, want)
			}
			must(t, os.RemoveAll(filepath.Dir(mine)))
			must(t, os.RemoveAll(filepath.Dir(other)))
			run(t, "", "down").want(t, exitDone)
			if got := asked(); len(w.left()) > 0 || got != "down --name lab\ndown --name dev" {
				t.Errorf("left is %v after %s", w.left(), got)
			}
		})
	}
}

// Of the folders above those of ours the ones go that were made for them, unless somebody else uses them by now.
func TestDownRemovesTheFoldersThatUpMade(t *testing.T) {
	for name, c := range map[string]struct{ before, between, left string }{
		"none was there":      {"", "", ""},
		"all were there":      {".local/state", "", ".local .local/state"},
		"one was there":       {".local", "", ".local"},
		"one is used by then": {"", ".local/state/other", ".local .local/state .local/state/other"},
	} {
		t.Run(name, func(t *testing.T) {
			w := &world{t: t, state: filepath.Join(t.TempDir(), "home of somebody")}
			must(t, os.MkdirAll(filepath.Join(w.state, c.before), 0o700))
			home(t, "")
			t.Setenv("HOME", w.state)
			devcluster(t, "/none")
			must(t, record{Kubeconfig: "/none", Devcluster: "lab"}.save())
			dir, err := stateDir()
			must(t, err)
			must(t, writeFile(filepath.Join(dir, "lab", kubeconfigFile), nil))
			must(t, os.MkdirAll(filepath.Join(w.state, c.between), 0o700))
			run(t, "", "down").want(t, exitDone)
			left := strings.ReplaceAll(strings.Join(w.left(), " "), w.state+"/", "")
			if left != c.left {
				t.Errorf("left is %q, want %q", left, c.left)
			}
		})
	}
}

// A cluster on this machine that up was in by --kubeconfig is not looked for any more when it is gone.
func TestDownForgetsTheClusterByItsServer(t *testing.T) {
	w := newWorld(t, ready)
	devcluster(t, w.kubeconfig)
	must(t, record{Kubeconfig: w.kubeconfig, Namespace: "openstack"}.save())
	w.run("clouds-yaml").want(t, exitDone)
	run(t, "", "down", "--devcluster", "lab").want(t, exitDone)
	if left := w.left(); len(left) > 0 {
		t.Errorf("left is %v", left)
	}
}

// In somebody's cluster the control plane goes once it is confirmed, with its clouds.yaml: in that of --kubeconfig, and
// without a flag where the last up was. Another down finds nothing to do.
func TestDownInSomebodysCluster(t *testing.T) {
	for name, named := range map[string]bool{"named": true, "remembered": false} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t, ready)
			asked := devcluster(t, "/none")
			down := []string{"down", "--confirm", "cloud"}
			if named {
				down = append(down, "--kubeconfig", w.kubeconfig)
			}
			must(t, record{Kubeconfig: w.kubeconfig, Namespace: "openstack"}.save())
			w.run("clouds-yaml").want(t, exitDone)
			run(t, "", down...).want(t, exitDone)
			o := &controlplanev1.OpenStackControlPlane{}
			if w.client.Get(t.Context(), client.ObjectKey{Namespace: "openstack", Name: "cloud"}, o) == nil {
				t.Error("the control plane is still there")
			}
			if left := w.left(); len(left) > 0 || asked() != "" {
				t.Errorf("left is %v, and devcluster is asked for %q", left, asked())
			}
			w.run("down").want(t, exitDone)
		})
	}
}

// The record of a cluster on this machine outlives what is taken away in another one, and in itself.
func TestDownKeepsTheRecordOfAnother(t *testing.T) {
	w := newWorld(t, ready)
	asked := devcluster(t, "/none")
	w.upTo("lab")
	file := filepath.Join(w.state, "stackwright", "lab", kubeconfigFile)
	run(t, "", "clouds-yaml").want(t, exitDone)
	run(t, "", "down", "--kubeconfig", file, "--confirm", "cloud").want(t, exitDone)
	if got := strings.Join(w.left()[1:], " "); got != "lab lab/kubeconfig "+recordFile {
		t.Errorf("left is %s", got)
	}
	run(t, "", "down").want(t, exitDone)
	if got := asked(); got != "down --name lab" || len(w.left()) > 0 {
		t.Errorf("devcluster is asked for %q, and left is %v", got, w.left())
	}
}

// What up remembers of a kubeconfig with several clusters is the one that it was in.
func TestUpRemembersTheContext(t *testing.T) {
	w := newWorld(t, ready)
	text, err := os.ReadFile(w.kubeconfig)
	must(t, err)
	both := string(text) + "- {name: other, context: {cluster: none, user: test}}\n"
	both = strings.Replace(both, "clusters: [", `clusters: [{name: none, cluster: {server: "http://[::1]:1"}}, `, 1)
	both = strings.Replace(both, "contexts: [{name: test, context: {cluster: test, user: test}}]",
		"contexts:\n- {name: test, context: {cluster: test, user: test}}", 1)
	for context, current := range map[string]string{"": "test", "test": "other"} {
		must(t, os.WriteFile(w.kubeconfig, []byte(strings.Replace(both, "current-context: test",
			"current-context: "+current, 1)), 0o600))
		u := &ascent{app: &app{kubeconfig: w.kubeconfig, context: context}}
		must(t, u.cluster(t.Context(), progress.New(io.Discard, false, 80).Start("cluster")))
		must(t, os.WriteFile(w.kubeconfig, []byte(strings.Replace(both, "current-context: test",
			"current-context: other", 1)), 0o600))
		run(t, "", "status").want(t, exitDone, "openstack/cloud")
		run(t, "", "status", "--context", "other").want(t, exitUnreachable)
		run(t, "", "down").want(t, exitUsage, "give --confirm cloud")
	}
}

// What up remembers is where the control plane of its file is.
func TestUpRemembersWhereTheFileIs(t *testing.T) {
	w := newWorld(t, ready)
	file := filepath.Join(t.TempDir(), "plane.yaml")
	must(t, os.WriteFile(file, []byte("{kind: OpenStackControlPlane, metadata: {name: second, namespace: lab}}"), 0o600))
	u := &ascent{app: &app{kubeconfig: w.kubeconfig}, upFlags: upFlags{file: file}}
	must(t, u.aim())
	must(t, u.cluster(t.Context(), progress.New(io.Discard, false, 80).Start("cluster")))
	if r := lastUp(); r.Namespace != "lab" || r.ControlPlane != "second" {
		t.Errorf("it remembers namespace %q and control plane %q", r.Namespace, r.ControlPlane)
	}
}
