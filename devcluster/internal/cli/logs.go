package cli

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"stackwright.dev/devcluster/internal/cluster"
)

func newLogs(name *string) *cobra.Command {
	return &cobra.Command{
		Use:   "logs [COMPONENT]",
		Short: "Print the log of a component, or list the components that have one",
		Long: `Print the log of a component, such as kube-apiserver or node-1/kubelet, or list the components that have one.
The files lie below the cluster's state folder, for those who want to follow one.`,
		Args: cobra.MaximumNArgs(1),
		RunE: func(command *cobra.Command, arguments []string) error {
			c, err := existing(*name)
			if err != nil {
				return err
			}
			if len(arguments) == 0 {
				return listLogs(command.OutOrStdout(), c)
			}
			return printLog(command.OutOrStdout(), c, arguments[0])
		},
	}
}

func listLogs(out io.Writer, c *cluster.Cluster) error {
	components, err := loggers(c)
	for _, component := range components {
		fmt.Fprintf(out, "%s\t%s\n", component, c.Log(component))
	}
	return err
}

func printLog(out io.Writer, c *cluster.Cluster, component string) error {
	components, err := loggers(c)
	if err != nil {
		return err
	}
	if !slices.Contains(components, component) {
		return fmt.Errorf("there is no component %q, only %s", component, strings.Join(components, ", "))
	}
	file, err := os.Open(c.Log(component))
	if err != nil {
		return fmt.Errorf("opening log: %w", err)
	}
	defer file.Close()
	_, err = io.Copy(out, file)
	return err
}

func loggers(c *cluster.Cluster) ([]string, error) {
	root := filepath.Dir(c.Log("any"))
	var components []string
	err := filepath.WalkDir(root, func(path string, entry fs.DirEntry, err error) error {
		if component, ok := strings.CutSuffix(path, ".log"); ok && err == nil && !entry.IsDir() {
			components = append(components, strings.TrimPrefix(component, root+"/"))
		}
		return err
	})
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	return components, err
}
