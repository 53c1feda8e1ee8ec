package cli

import (
	"archive/tar"
	"bytes"
	"cmp"
	"compress/gzip"
	"context"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"
	corev1 "k8s.io/api/core/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"stackwright.dev/stackwright/internal/cli/censor"
	"stackwright.dev/stackwright/internal/version"
)

// bundleFlags are the flags of bundle.
type bundleFlags struct {
	since time.Duration
	lines int64
}

func (a *app) bundle() *cobra.Command {
	f := bundleFlags{}
	cmd := &cobra.Command{
		Use:   "bundle [FILE]",
		Short: "Write objects, events and logs into an archive for whoever helps, without secrets",
		Long: `Write what is needed to understand the state of a control plane into FILE, a .tar.gz; "-" is standard output.

It has the objects of the control plane's namespace and of the operators', all OpenStack resources, nodes and volumes,
the events of all namespaces with objects of ours in order, the logs of all containers, and what status, tree and why
say. Secrets are in it by name and key only. All else is searched for the passwords and keys in the Secrets of all
namespaces with objects of ours, also for those in files such as clouds.yaml, for other private keys and passwords in
URLs. What is found is taken out, and told, because it should not have been there.`,
		Args: cobra.MaximumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			file := fmt.Sprintf("stackwright-%s-%s.tar.gz", a.ns(), time.Now().Format("20060102-150405"))
			return a.pack(cmd.Context(), strings.Join(append(args, file)[:1], ""), f)
		},
	}
	cmd.Flags().DurationVar(&f.since, "since", 0, "logs newer than this, such as 10m")
	cmd.Flags().Int64Var(&f.lines, "tail", 5000, "last lines of the log of each container; -1 for all")
	return cmd
}

// pack writes the archive. Half of one is no help, so a file appears when it is complete.
func (a *app) pack(ctx context.Context, file string, f bundleFlags) error {
	c, err := a.client()
	if err != nil {
		return err
	}
	g := &gatherer{app: a, client: c, flags: f, namespaces: slices.Compact([]string{a.ns(), operatorNamespace})}
	if g.kinds, err = g.resources(); err != nil {
		g.lacks("the kinds of the cluster", err)
	}
	g.territory = g.explore(ctx)
	if g.censor, err = censor.New(ctx, c, g.territory); err != nil {
		return err
	}
	var archive bytes.Buffer
	if err := g.write(ctx, &archive); err != nil {
		return err
	}
	out := "the archive"
	if file == "-" {
		_, err = a.out.Write(archive.Bytes())
	} else {
		out, err = file, os.WriteFile(file, archive.Bytes(), 0o600)
	}
	if err != nil {
		return fmt.Errorf("writing %s: %w", out, err)
	}
	fmt.Fprintf(a.err, "%s has %d files, %d KiB\n", out, g.files, archive.Len()>>10)
	if len(g.missing) > 0 {
		fmt.Fprintf(a.err, "%d things could not be read; missing.txt in it says which\n", len(g.missing))
	}
	for _, found := range g.censor.Told() {
		fmt.Fprintf(a.err, "taken out: %s; it should not have been there, so change it\n", found)
	}
	for _, of := range g.censor.Passed {
		fmt.Fprintf(a.err, "not looked for: %s, which is a word or number that stands everywhere; change it\n", of)
	}
	return nil
}

// gatherer fills an archive.
type gatherer struct {
	*app
	client client.Client
	flags  bundleFlags
	// namespaces are the control plane's and the operators', territory also all others with objects of ours.
	namespaces, territory []string
	// kinds are those of the objects that go in.
	kinds   []listable
	censor  *censor.Censor
	archive *tar.Writer
	files   int
	// missing are the things that could not be read, one sentence each.
	missing []string
}

func (g *gatherer) write(ctx context.Context, to io.Writer) error {
	zip := gzip.NewWriter(to)
	g.archive = tar.NewWriter(zip)
	for _, part := range []func(context.Context) error{g.about, g.answers, g.objects, g.events, g.logFiles} {
		if err := part(ctx); err != nil {
			return err
		}
		if ctx.Err() != nil {
			return fmt.Errorf("gathering: %w", ctx.Err())
		}
	}
	if len(g.missing) > 0 {
		if err := g.add("missing.txt", []byte(strings.Join(g.missing, "\n")+"\n")); err != nil {
			return err
		}
	}
	if err := g.archive.Close(); err != nil {
		return fmt.Errorf("ending the archive: %w", err)
	}
	if err := zip.Close(); err != nil {
		return fmt.Errorf("compressing the archive: %w", err)
	}
	return nil
}

// add puts a file into the archive. Nothing comes in on another way.
func (g *gatherer) add(name string, content []byte) error {
	content = g.censor.Clean(name, content)
	head := &tar.Header{Name: "bundle/" + name, Mode: 0o600, Size: int64(len(content)), ModTime: time.Now()}
	if err := g.archive.WriteHeader(head); err != nil {
		return fmt.Errorf("adding %s: %w", name, err)
	}
	if _, err := g.archive.Write(content); err != nil {
		return fmt.Errorf("adding %s: %w", name, err)
	}
	g.files++
	return nil
}

// lacks notes what could not be read.
func (g *gatherer) lacks(what string, err error) {
	g.missing = append(g.missing, fmt.Sprintf("%s: %v", what, err))
}

func (g *gatherer) about(context.Context) error {
	return g.add("about.txt", fmt.Appendf(nil, "%s\ngathered at %s\nnamespaces %s\n", version.String(),
		time.Now().UTC().Format(time.RFC3339), strings.Join(g.namespaces, ", ")))
}

// answers are what our own commands say.
func (g *gatherer) answers(ctx context.Context) error {
	for name, say := range map[string]func(*app) error{
		"status": func(a *app) error {
			s, err := a.survey(ctx)
			if err == nil {
				a.showStatus(s)
			}
			return err
		},
		"why": func(a *app) error {
			f, err := a.explain(ctx, "")
			if err == nil {
				a.showWhy(f, true)
			}
			return err
		},
		"tree": func(a *app) error {
			root, err := a.grown(ctx, g.client, "")
			if err == nil {
				a.showTree(root, "", "")
			}
			return err
		},
	} {
		var out bytes.Buffer
		quiet := *g.app
		quiet.out, quiet.output = &out, ""
		if err := say(&quiet); err != nil {
			g.lacks(name, err)
			continue
		}
		if err := g.add(name+".txt", out.Bytes()); err != nil {
			return err
		}
	}
	return nil
}

// events are what happened, the oldest first, wherever there are objects of ours: nothing else has the ids of requests.
func (g *gatherer) events(ctx context.Context) error {
	for _, namespace := range g.territory {
		list := &corev1.EventList{}
		if err := g.client.List(ctx, list, client.InNamespace(namespace)); err != nil {
			g.lacks("events of namespace "+namespace, err)
			continue
		}
		slices.SortStableFunc(list.Items, func(a, b corev1.Event) int { return happened(&a).Compare(happened(&b)) })
		var out bytes.Buffer
		for i := range list.Items {
			e := &list.Items[i]
			fmt.Fprintf(&out, "%s %s %s %s/%s (%d times): %s\n", happened(e).UTC().Format(time.RFC3339), e.Type, e.Reason,
				e.InvolvedObject.Kind, e.InvolvedObject.Name, max(e.Count, 1), firstLine(e.Message))
		}
		if out.Len() == 0 {
			continue
		}
		if err := g.add("events/"+namespace+".txt", out.Bytes()); err != nil {
			return err
		}
	}
	return nil
}

// happened is when an event was seen last. Which field has it depends on who wrote it.
func happened(e *corev1.Event) time.Time {
	if e.Series != nil {
		return e.Series.LastObservedTime.Time
	}
	return cmp.Or(e.LastTimestamp.Time, e.EventTime.Time, e.CreationTimestamp.Time)
}
