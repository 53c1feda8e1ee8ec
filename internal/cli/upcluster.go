package cli

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/client-go/tools/clientcmd"

	"stackwright.dev/stackwright/internal/cli/progress"
	"stackwright.dev/stackwright/internal/image"
	"stackwright.dev/stackwright/internal/image/command"
)

// defaultDevcluster is the name that devcluster itself defaults to, so that its commands need no flag either.
const defaultDevcluster = "dev"

// beside returns the program devcluster in the folder of this one, where make puts all of them.
func beside() (string, error) {
	const name = "devcluster"
	self, err := os.Executable()
	if err != nil {
		return "", fmt.Errorf("finding this program: %w", err)
	}
	// As a plugin of kubectl this program may be reached by a link from elsewhere.
	if target, err := filepath.EvalSymlinks(self); err == nil {
		self = target
	}
	path := filepath.Join(filepath.Dir(self), name)
	if _, err := os.Stat(path); err != nil {
		return "", fmt.Errorf("program %s is not in %s; build it with make build", name, filepath.Dir(self))
	}
	return path, nil
}

// runDevcluster runs devcluster with its output in the part's notes.
func runDevcluster(ctx context.Context, p *progress.Part, args ...string) error {
	program, err := beside()
	if err != nil {
		return err
	}
	notes := p.Writer()
	cmd := exec.CommandContext(ctx, program, args...)
	cmd.Stderr, cmd.Stdout = notes, notes
	if err := cmd.Run(); err != nil {
		// The exit code is devcluster's and would say something else as ours.
		return fmt.Errorf("running devcluster %s: %s\n%s", strings.Join(args, " "), err.Error(), notes.Tail())
	}
	return nil
}

// devclusterKubeconfig returns the administrator's kubeconfig of a cluster on this machine.
func devclusterKubeconfig(ctx context.Context, name string) ([]byte, error) {
	program, err := beside()
	if err != nil {
		return nil, err
	}
	var failure strings.Builder
	cmd := exec.CommandContext(ctx, program, "kubeconfig", "--name", name)
	cmd.Stderr = &failure
	out, err := cmd.Output()
	if err != nil {
		return nil, fmt.Errorf("asking devcluster for its kubeconfig: %s: %s", err.Error(),
			strings.TrimSpace(failure.String()))
	}
	return out, nil
}

// devclusterHost is the address of the API server of a cluster on this machine; empty when there is none.
func devclusterHost(ctx context.Context, name string) string {
	content, err := devclusterKubeconfig(ctx, name)
	if err != nil {
		dir, _ := stateDir()
		return record{Kubeconfig: filepath.Join(dir, name, kubeconfigFile)}.host()
	}
	cfg, err := clientcmd.RESTConfigFromKubeConfig(content)
	if err != nil {
		return ""
	}
	return cfg.Host
}

// cluster starts the cluster on this machine and remembers it for later commands.
func (u *ascent) cluster(ctx context.Context, p *progress.Part) error {
	r := record{Kubeconfig: u.kubeconfig, Namespace: u.ns(), ControlPlane: u.name()}
	if u.local {
		if err := u.startDevcluster(ctx, p); err != nil {
			return err
		}
		r.Devcluster, r.Kubeconfig = u.devcluster, u.kubeconfig
	} else {
		raw, err := u.getter().ToRawKubeConfigLoader().RawConfig()
		if err != nil {
			return fmt.Errorf("reading the kubeconfig: %w", err)
		}
		r.Context = cmp.Or(u.context, raw.CurrentContext)
	}
	var err error
	if r.Kubeconfig, err = filepath.Abs(r.Kubeconfig); err != nil {
		return fmt.Errorf("finding the kubeconfig: %w", err)
	}
	return r.save()
}

// startDevcluster starts the cluster and keeps its kubeconfig.
func (u *ascent) startDevcluster(ctx context.Context, p *progress.Part) error {
	args := []string{"up", "--name", u.devcluster}
	if u.nodes > 0 {
		args = append(args, "--nodes", strconv.Itoa(u.nodes))
	}
	if err := runDevcluster(ctx, p, args...); err != nil {
		return err
	}
	content, err := devclusterKubeconfig(ctx, u.devcluster)
	if err != nil {
		return err
	}
	dir, err := stateDir()
	if err != nil {
		return err
	}
	u.kubeconfig = filepath.Join(dir, u.devcluster, kubeconfigFile)
	return writeFile(u.kubeconfig, content)
}

func (u *ascent) name() string {
	if u.controlplane != "" {
		return u.controlplane
	}
	return defaultControlPlane
}

// needsImages tells whether images of this machine are to run.
func (u *ascent) needsImages() bool { return u.local || u.registry != "" }

// images builds what is not built yet.
func (u *ascent) images(ctx context.Context, p *progress.Part) error {
	if !u.needsImages() {
		p.Note("those of OpenStackRelease %s", u.release)
		return nil
	}
	return u.imagesCommand(ctx, p, "build")
}

// imagesCommand runs `stackwright images` in this process, with its output in the part's notes.
func (u *ascent) imagesCommand(ctx context.Context, p *progress.Part, args ...string) error {
	notes := p.Writer()
	cmd := command.Command()
	cmd.SetArgs(append(args, "--release", u.release))
	cmd.SetOut(notes)
	cmd.SetErr(notes)
	cmd.SilenceErrors, cmd.SilenceUsage = true, true
	if err := cmd.ExecuteContext(ctx); err != nil {
		return fmt.Errorf("running images %s: %w\n%s", strings.Join(args, " "), err, notes.Tail())
	}
	return nil
}

// deliver brings the images to where the cluster finds them.
func (u *ascent) deliver(ctx context.Context, p *progress.Part) error {
	switch {
	case u.registry != "":
		args := []string{"push", u.registry}
		if u.plainHTTP {
			args = append(args, "--plain-http")
		}
		return u.imagesCommand(ctx, p, args...)
	case !u.local:
		return nil
	}
	if u.delivered(ctx) {
		p.Note("the nodes have them")
		return nil
	}
	return u.imagesCommand(ctx, p, "load", "--cluster", u.devcluster)
}

// delivered tells whether every node says that it has every image. Nodes tell of few images only, so a no is no proof.
func (u *ascent) delivered(ctx context.Context) bool {
	built, err := image.Index(u.release)
	if err != nil {
		return false
	}
	c, err := u.client()
	if err != nil {
		return false
	}
	var nodes corev1.NodeList
	if err := c.List(ctx, &nodes); err != nil || len(nodes.Items) == 0 {
		return false
	}
	for _, node := range nodes.Items {
		var names []string
		for _, i := range node.Status.Images {
			names = append(names, i.Names...)
		}
		for _, i := range built.Images {
			if !slices.Contains(names, i.Ref) {
				return false
			}
		}
	}
	return true
}

// references are the image references of the release's components, as the cluster knows them.
func (u *ascent) references() (map[string]string, error) {
	built, err := image.Index(u.release)
	if err != nil {
		return nil, err
	}
	out := map[string]string{}
	for name, i := range built.Images {
		out[name] = i.Ref
		if u.registry != "" {
			out[name] = i.In(u.registry)
		}
	}
	if out["operator"] == "" {
		return nil, errors.New("the image of the operators has not been built; run stackwright images build")
	}
	return out, nil
}
