package cli

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/spf13/cobra"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	utilyaml "k8s.io/apimachinery/pkg/util/yaml"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/yaml"

	controlplanev1 "stackwright.dev/stackwright/api/controlplane/v1alpha1"
	"stackwright.dev/stackwright/internal/operator"
	"stackwright.dev/stackwright/internal/rehearse"
)

func (a *app) render() *cobra.Command {
	var file string
	cmd := &cobra.Command{
		Use:   "render -f FILE",
		Short: "Print the objects that the operators would make of those in a file, without a cluster",
		Long: `Print the objects that the operators would make of those in a file, without a cluster.

FILE, - for standard input, has objects of ours, such as an OpenStackControlPlane and its BuildingBlocks, and what they
refer to: Secrets, or an OpenStackRelease; without one, image references are made up. The content of Secrets is not
printed. What only a running cluster can tell is noted on standard error. Objects that stand for one resource of
OpenStack, such as a Server, make no other objects. The exit code is 3 when the operators would refuse one.`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			docs, err := a.readDocuments(file)
			if err != nil {
				return err
			}
			result, err := a.rehearse(cmd.Context(), file, docs, nil)
			if err != nil {
				return err
			}
			a.showNotes(result)
			if err := a.printMade(result); err != nil {
				return err
			}
			if len(result.Refused) > 0 {
				return no()
			}
			return nil
		},
	}
	cmd.Flags().StringVarP(&file, "file", "f", "", "file with the objects")
	return cmd
}

// document is an object of a file: in its type, and as it is written there.
type document struct {
	object client.Object
	raw    *unstructured.Unstructured
}

// readDocuments reads the objects of a file; a field that does not exist is an error.
func (a *app) readDocuments(file string) ([]document, error) {
	var data []byte
	var err error
	switch file {
	case "":
		return nil, usage(errors.New("give -f with the file of the objects"))
	case "-":
		data, err = io.ReadAll(a.in)
	default:
		data, err = os.ReadFile(file)
	}
	if err != nil {
		return nil, usage(fmt.Errorf("reading the objects: %w", err))
	}
	var out []document
	docs := utilyaml.NewYAMLReader(bufio.NewReader(bytes.NewReader(data)))
	for {
		text, err := docs.Read()
		if errors.Is(err, io.EOF) {
			return out, nil
		}
		if err != nil {
			return nil, usage(fmt.Errorf("reading %s: %w", file, err))
		}
		if len(bytes.TrimSpace(text)) == 0 {
			continue
		}
		d, err := typed(text)
		if err != nil {
			return nil, usage(fmt.Errorf("reading %s: %w", file, err))
		}
		out = append(out, d)
	}
}

func typed(text []byte) (document, error) {
	var d document
	u := &unstructured.Unstructured{}
	if err := yaml.Unmarshal(text, &u.Object); err != nil {
		return d, fmt.Errorf("parsing YAML: %w", err)
	}
	empty, err := operator.Scheme().New(u.GroupVersionKind())
	if err != nil {
		return d, fmt.Errorf("kind %s of %s is not known", u.GetKind(), u.GetAPIVersion())
	}
	if err := yaml.UnmarshalStrict(text, empty); err != nil {
		return d, fmt.Errorf("parsing %s %s: %w", u.GetKind(), u.GetName(), err)
	}
	o, ok := empty.(client.Object)
	if !ok {
		return d, fmt.Errorf("kind %s is no object", u.GetKind())
	}
	if p, ok := o.(*controlplanev1.OpenStackControlPlane); ok && len(p.Spec.Services.Unknown) > 0 {
		return d, fmt.Errorf("parsing %s %s: spec.services has %s, which is no service; services are %s", u.GetKind(),
			u.GetName(), strings.Join(p.Spec.Services.Unknown, ", "), strings.Join(controlplanev1.ServiceNames(), ", "))
	}
	return document{o, u}, nil
}

// printMade prints objects without what they do not say themselves, and Secrets without content.
func (a *app) printMade(result *rehearse.Result) error {
	for _, m := range result.Made {
		text, err := plain(m.Object)
		if err != nil {
			return err
		}
		fmt.Fprintf(a.out, "---\n# %s, step %s, for %s %s\n%s", m.Controller, m.Step,
			m.Owner.GetObjectKind().GroupVersionKind().Kind, m.Owner.GetName(), text)
	}
	return nil
}

func plain(o client.Object) ([]byte, error) {
	if s, ok := o.(*corev1.Secret); ok {
		s = s.DeepCopy()
		for k := range s.Data {
			s.Data[k] = []byte("hidden")
		}
		o = s
	}
	m, err := runtime.DefaultUnstructuredConverter.ToUnstructured(o)
	if err != nil {
		return nil, fmt.Errorf("encoding %s: %w", o.GetName(), err)
	}
	delete(m, "status")
	unstructured.RemoveNestedField(m, "metadata", "creationTimestamp")
	unstructured.RemoveNestedField(m, "spec", "template", "metadata", "creationTimestamp")
	text, err := yaml.Marshal(m)
	if err != nil {
		return nil, fmt.Errorf("encoding %s: %w", o.GetName(), err)
	}
	return text, nil
}
