package command

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"text/tabwriter"

	"github.com/spf13/cobra"
	"sigs.k8s.io/yaml"

	"stackwright.dev/stackwright/internal/image"
)

func listCommand(s *settings) *cobra.Command {
	output := format("table")
	cmd := &cobra.Command{
		Use:   "list [IMAGE...]",
		Short: "List the images that were built",
		RunE: func(cmd *cobra.Command, args []string) error {
			images, err := s.built(args)
			if err != nil {
				return err
			}
			return write(cmd.OutOrStdout(), output, images)
		},
	}
	cmd.Flags().VarP(&output, "output", "o", "table, json or yaml")
	return cmd
}

// format is how a list is printed.
type format string

// Set is for what the command line has.
func (f *format) Set(given string) error {
	if !slices.Contains([]string{"table", "json", "yaml"}, given) {
		return errors.New("use table, json or yaml")
	}
	*f = format(given)
	return nil
}

// String is what the help shows as what it is without the flag.
func (f *format) String() string { return string(*f) }

// Type is what the help shows behind the flag.
func (f *format) Type() string { return "string" }

func write(out io.Writer, as format, images *image.Images) error {
	switch as {
	case "json":
		encoder := json.NewEncoder(out)
		encoder.SetIndent("", "  ")
		return encoder.Encode(images)
	case "yaml":
		data, err := yaml.Marshal(images)
		if err != nil {
			return fmt.Errorf("printing: %w", err)
		}
		_, err = out.Write(data)
		return err
	default:
		return table(out, images)
	}
}

func table(out io.Writer, images *image.Images) error {
	w := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	fmt.Fprintln(w, "NAME\tVERSION\tUSER\tMB\tREFERENCE")
	for _, name := range slices.Sorted(maps.Keys(images.Images)) {
		i := images.Images[name]
		fmt.Fprintf(w, "%s\t%s\t%d\t%d\t%s\n", name, i.Version, i.UID, i.Size>>20, i.Ref)
	}
	return w.Flush()
}
