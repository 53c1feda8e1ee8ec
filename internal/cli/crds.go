package cli

import (
	"errors"
	"fmt"
	"maps"
	"path"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"stackwright.dev/stackwright/internal/cli/install"
	"stackwright.dev/stackwright/internal/resources/kinds"
)

func (a *app) crds() *cobra.Command {
	var groups []string
	cmd := &cobra.Command{
		Use:   "crds [--group GROUP,...]",
		Short: "Print the definitions of the kinds, all or those of some services",
		Long: `Print the definitions of the kinds, all or those of some services, for kubectl apply --server-side -f -.

A group is a service of OpenStack, such as identity or network, whose resources are objects; the definitions of clouds
come with each. The groups operators and services are the kinds that run OpenStack itself. The operator runs what it
finds installed when it starts; restart it after more was installed:

  stackwright crds --group identity,network | kubectl apply --server-side -f -
  helm install stackwright-operator ... --skip-crds`,
		Args: cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error {
			files, err := definitions(groups)
			if err != nil {
				return err
			}
			for _, text := range files {
				fmt.Fprintf(a.out, "---\n%s", strings.TrimPrefix(text, "---\n"))
			}
			return nil
		},
	}
	cmd.Flags().StringSliceVar(&groups, "group", nil, "groups: "+strings.Join(groupNames(), ", ")+"; all when empty")
	return cmd
}

// The groups of kinds that are no resources of OpenStack.
const (
	groupOperators = "operators"
	groupServices  = "services"
)

// groupNames are all groups.
func groupNames() []string {
	names := map[string]bool{groupOperators: true, groupServices: true}
	for _, k := range kinds.Served() {
		names[k.Service] = true
	}
	return slices.Sorted(maps.Keys(names))
}

// definitions are the files of groups, in the order of their names.
func definitions(groups []string) ([]string, error) {
	for _, g := range groups {
		if !slices.Contains(groupNames(), g) {
			return nil, usage(fmt.Errorf("there is no group %s; groups are %s", g, strings.Join(groupNames(), ", ")))
		}
	}
	all, err := install.CRDs()
	if err != nil {
		return nil, fmt.Errorf("reading the definitions: %w", err)
	}
	byPlural := map[string]string{}
	for _, k := range kinds.Served() {
		byPlural[k.Plural] = k.Service
	}
	var out []string
	for _, name := range slices.Sorted(maps.Keys(all)) {
		if len(groups) == 0 || wants(groups, strings.TrimSuffix(path.Base(name), ".yaml"), byPlural) {
			out = append(out, string(all[name]))
		}
	}
	if len(out) == 0 {
		return nil, errors.New("this program carries no definitions")
	}
	return out, nil
}

// wants tells whether one of the groups has a definition, by the name of its file.
func wants(groups []string, file string, byPlural map[string]string) bool {
	group, plural, _ := strings.Cut(file, "_")
	switch kind, _, _ := strings.Cut(group, "."); {
	case kind == "service":
		return slices.Contains(groups, groupServices)
	case kind != "openstack":
		return slices.Contains(groups, groupOperators)
	case byPlural[plural] != "":
		return slices.Contains(groups, byPlural[plural])
	}
	return slices.ContainsFunc(groups, func(g string) bool { return g != groupOperators && g != groupServices })
}
