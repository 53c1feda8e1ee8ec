// Package command holds the verbs of "stackwright images".
package command

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"

	"stackwright.dev/stackwright/images"
	"stackwright.dev/stackwright/internal/image"
	"stackwright.dev/stackwright/internal/image/spec"
)

// settings are the flags that all verbs share.
type settings struct {
	release string
	cache   string
	data    string
	// programs finds the folder of the other programs.
	programs func() (string, error)
}

// Command is "stackwright images".
func Command() *cobra.Command { return command(&settings{programs: beside}) }

func command(s *settings) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "images",
		Short: "Build, list and move the container images of an OpenStack release",
		Args:  cobra.NoArgs,
	}
	flags := cmd.PersistentFlags()
	flags.StringVar(&s.release, "release", "epoxy", "OpenStack release")
	flags.StringVar(&s.cache, "cache", "",
		"folder for all results (default $STACKWRIGHT_CACHE, or stackwright in the user's cache folder)")
	flags.StringVar(&s.data, "data", "", "folder with the descriptions of images, instead of those in this program")
	cmd.AddCommand(buildCommand(s), listCommand(s), loadCommand(s), optionsCommand(s), pushCommand(s), saveCommand(s),
		sbomCommand(s))
	return cmd
}

func (s *settings) cacheDir() (string, error) {
	if s.cache != "" {
		return filepath.Abs(s.cache)
	}
	return image.CacheDir()
}

func (s *settings) files() fs.FS {
	if s.data != "" {
		return os.DirFS(s.data)
	}
	return images.Files
}

// built reads the index of the release, narrowed to the named images.
func (s *settings) built(names []string) (*image.Images, error) {
	release, err := spec.Load(s.files(), s.release)
	if err != nil {
		return nil, err
	}
	if _, err := release.Select(names); err != nil {
		return nil, err
	}
	cache, err := s.cacheDir()
	if err != nil {
		return nil, err
	}
	images, err := image.ReadIndex(cache, s.release)
	if err != nil || len(names) == 0 {
		return images, err
	}
	return images.Only(names)
}

// beside is the folder of the running program, where make puts the others too.
func beside() (string, error) {
	program, err := os.Executable()
	if err != nil {
		return "", fmt.Errorf("finding this program: %w", err)
	}
	return filepath.Dir(program), nil
}
