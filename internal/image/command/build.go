package command

import (
	"fmt"

	"github.com/spf13/cobra"

	"stackwright.dev/stackwright/internal/image"
	"stackwright.dev/stackwright/releases"
)

func buildCommand(s *settings) *cobra.Command {
	options := image.Options{}
	cmd := &cobra.Command{
		Use:   "build [IMAGE...]",
		Short: "Build images from Debian packages; what is unchanged is not built again",
		RunE: func(cmd *cobra.Command, args []string) error {
			var err error
			if options.Cache, err = s.cacheDir(); err != nil {
				return err
			}
			if options.Binaries == "" {
				if options.Binaries, err = s.programs(); err != nil {
					return err
				}
			}
			options.Known = releases.Files
			options.Files, options.Release, options.Images = s.files(), s.release, args
			options.Progress = func(message string) { fmt.Fprintln(cmd.ErrOrStderr(), message) }
			_, err = image.Build(cmd.Context(), options)
			return err
		},
	}
	flags := cmd.Flags()
	flags.StringVar(&options.Binaries, "binaries", "",
		"folder with the programs that go into images (default: this program's)")
	flags.BoolVar(&options.Refresh, "refresh", false, "look for newer packages")
	flags.StringVar(&options.Lock, "lock", "", "take package versions from another machine's lock file")
	return cmd
}
