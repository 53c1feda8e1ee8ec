package command

import (
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"

	"github.com/spf13/cobra"

	"stackwright.dev/stackwright/internal/image"
	"stackwright.dev/stackwright/internal/image/oci"
)

func pushCommand(s *settings) *cobra.Command {
	pusher := &oci.Pusher{}
	cmd := &cobra.Command{
		Use:   "push REGISTRY [IMAGE...]",
		Short: "Push images with their SBOMs to a registry, given as HOST[:PORT][/PATH]",
		Args:  cobra.MinimumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			images, err := s.built(args[1:])
			if err != nil {
				return err
			}
			cache, err := s.cacheDir()
			if err != nil {
				return err
			}
			pusher.Compressed = filepath.Join(cache, "compressed")
			for _, name := range slices.Sorted(maps.Keys(images.Images)) {
				i := images.Images[name]
				named, err := oci.Open(i.Layout)
				if err != nil {
					return err
				}
				digest, err := pusher.Push(cmd.Context(), named, i.In(args[0]))
				if err != nil {
					return err
				}
				fmt.Fprintf(cmd.OutOrStdout(), "%s@%s\n", i.In(args[0]), digest)
			}
			return nil
		},
	}
	cmd.Flags().BoolVar(&pusher.PlainHTTP, "plain-http", false, "talk to the registry without TLS")
	return cmd
}

func saveCommand(s *settings) *cobra.Command {
	var output string
	cmd := &cobra.Command{
		Use:   "save -o FILE [IMAGE...]",
		Short: "Save images as one OCI archive that container tools can load",
		RunE: func(_ *cobra.Command, args []string) (err error) {
			images, err := s.built(args)
			if err != nil {
				return err
			}
			cache, err := s.cacheDir()
			if err != nil {
				return err
			}
			file, err := os.Create(output)
			if err != nil {
				return fmt.Errorf("saving: %w", err)
			}
			defer func() { err = errors.Join(err, file.Close()) }()
			return oci.Save(file, cache, layouts(images)...)
		},
	}
	cmd.Flags().StringVarP(&output, "output", "o", "", "file to write")
	if err := cmd.MarkFlagRequired("output"); err != nil {
		panic(err) // the flag is defined one line above
	}
	return cmd
}

func loadCommand(s *settings) *cobra.Command {
	var cluster string
	cmd := &cobra.Command{
		Use:   "load [IMAGE...]",
		Short: "Load images into a development cluster on this machine",
		RunE: func(cmd *cobra.Command, args []string) error {
			images, err := s.built(args)
			if err != nil {
				return err
			}
			dir, err := s.programs()
			if err != nil {
				return err
			}
			program := filepath.Join(dir, "devcluster")
			if _, err := os.Stat(program); errors.Is(err, fs.ErrNotExist) {
				return fmt.Errorf("program devcluster is not in %s: build it with make build", dir)
			}
			load := exec.CommandContext(cmd.Context(), program,
				append([]string{"load", "--name", cluster}, layouts(images)...)...)
			load.Stdout, load.Stderr = cmd.OutOrStdout(), cmd.ErrOrStderr()
			if err := load.Run(); err != nil {
				return fmt.Errorf("loading images into cluster %s: %w", cluster, err)
			}
			return nil
		},
	}
	cmd.Flags().StringVar(&cluster, "cluster", "dev", "name of the development cluster")
	return cmd
}

func layouts(images *image.Images) []string {
	var dirs []string
	for _, name := range slices.Sorted(maps.Keys(images.Images)) {
		dirs = append(dirs, images.Images[name].Layout)
	}
	return dirs
}
