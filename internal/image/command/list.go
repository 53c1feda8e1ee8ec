package command

import (
	"encoding/json"
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
	var output string
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
	cmd.Flags().StringVarP(&output, "output", "o", "table", "table, json or yaml")
	return cmd
}

func write(out io.Writer, format string, images *image.Images) error {
	switch format {
	case "table":
		return table(out, images)
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
		return fmt.Errorf("unknown output %q: use table, json or yaml", format)
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
