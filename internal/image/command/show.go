package command

import (
	"fmt"
	"io"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"

	"stackwright.dev/stackwright/internal/image/catalogue"
)

func sbomCommand(s *settings) *cobra.Command {
	return &cobra.Command{
		Use:   "sbom IMAGE",
		Short: "Print what is in an image, as SPDX JSON",
		Args:  cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			images, err := s.built(args)
			if err != nil {
				return err
			}
			return show(cmd.OutOrStdout(), images.Images[args[0]].SBOM)
		},
	}
}

func optionsCommand(s *settings) *cobra.Command {
	var write string
	cmd := &cobra.Command{
		Use:   "options [IMAGE...]",
		Short: "Print the catalogue of configuration options of services, or write it into a folder of releases",
		RunE: func(cmd *cobra.Command, args []string) error {
			images, err := s.built(args)
			if err != nil {
				return err
			}
			for name, image := range images.Images {
				switch {
				case image.Options == "" && len(args) > 0:
					return fmt.Errorf("image %s has no catalogue of options", name)
				case image.Options == "":
					continue
				case write != "":
					err = keep(image.Options, filepath.Join(write, catalogue.Path(s.release, name)))
				default:
					err = show(cmd.OutOrStdout(), image.Options)
				}
				if err != nil {
					return err
				}
			}
			return nil
		},
	}
	cmd.Flags().StringVar(&write, "write", "", "folder of releases to write the catalogues into")
	return cmd
}

func show(out io.Writer, file string) error {
	data, err := os.ReadFile(file)
	if err != nil {
		return fmt.Errorf("reading: %w: build the image again", err)
	}
	_, err = out.Write(data)
	return err
}

func keep(from, to string) error {
	data, err := os.ReadFile(from)
	if err != nil {
		return fmt.Errorf("reading: %w: build the image again", err)
	}
	if err := os.MkdirAll(filepath.Dir(to), 0o755); err != nil {
		return fmt.Errorf("writing options: %w", err)
	}
	if err := os.WriteFile(to, data, 0o644); err != nil {
		return fmt.Errorf("writing options: %w", err)
	}
	return nil
}
