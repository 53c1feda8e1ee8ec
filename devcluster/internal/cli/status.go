package cli

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"text/tabwriter"
	"time"

	"github.com/spf13/cobra"

	"stackwright.dev/devcluster/internal/cluster"
	"stackwright.dev/devcluster/internal/supervisor"
)

const megabyte = 1 << 20

func newStatus(name *string) *cobra.Command {
	output := ""
	command := &cobra.Command{
		Use:   "status",
		Short: "Show clusters, or the nodes and components of one",
		Long: `Show all clusters of the machine, or, with --name, the nodes and components of one. RSS counts memory that
components share in each of them; PSS counts it once in all. Exits with 1 when the cluster is not ready.`,
		Args: cobra.NoArgs,
		RunE: func(command *cobra.Command, _ []string) error {
			if output != "" && output != "json" {
				return fmt.Errorf("--output %q is not possible: want json", output)
			}
			if !command.Flags().Changed("name") && output == "" {
				return listClusters(command.Context(), command.OutOrStdout())
			}
			return showCluster(command.Context(), command.OutOrStdout(), *name, output)
		},
	}
	command.Flags().StringVarP(&output, "output", "o", "", "json, or a table when empty")
	return command
}

func listClusters(ctx context.Context, out io.Writer) error {
	clusters, err := cluster.List()
	if err != nil {
		return err
	}
	if len(clusters) == 0 {
		fmt.Fprintln(out, "devcluster: there are no clusters; start one with `devcluster up`")
		return nil
	}
	table := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	fmt.Fprintln(table, "NAME\tREADY\tNODES\tADDRESSES\tKUBECONFIG")
	for _, c := range clusters {
		ready := "stopped"
		if status, err := supervisor.Ask(ctx, c, false); err == nil {
			ready = fmt.Sprint(status.Ready)
		}
		fmt.Fprintf(table, "%s\t%s\t%d\t%s\t%s\n", c.Name, ready, len(c.Nodes), c.Range(), c.Kubeconfig())
	}
	return table.Flush()
}

func showCluster(ctx context.Context, out io.Writer, name, output string) error {
	c, err := existing(name)
	if err != nil {
		return err
	}
	status, err := supervisor.Ask(ctx, c, true)
	if err != nil {
		return fmt.Errorf("cluster %s is stopped (%w); resume it with `devcluster up --name %s`", name, err, name)
	}
	if output == "json" {
		encoder := json.NewEncoder(out)
		encoder.SetIndent("", "  ")
		err = encoder.Encode(status)
	} else {
		err = printStatus(out, status)
	}
	if err == nil && !status.Ready {
		err = fmt.Errorf("cluster %s is not ready: waiting for %s", name, awaited(status))
	}
	return err
}

func printStatus(out io.Writer, status supervisor.Status) error {
	c := status.Cluster
	table := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	fmt.Fprintln(table, "NODE\tSTATE\tADDRESS\tPODS")
	for _, node := range c.Nodes {
		state := "NotReady"
		switch {
		case node.Cut:
			state = "cut off"
		case status.Nodes[node.Name]:
			state = "Ready"
		}
		fmt.Fprintf(table, "%s\t%s\t%s\t%s\n", node.Name, state, c.NodeAddress(node), c.NodePods(node))
	}
	fmt.Fprintln(table, "\nCOMPONENT\tPID\tUP\tRESTARTS\tRSS MiB\tPSS MiB\t")
	var resident, proportional int64
	for _, component := range status.Components {
		up := component.Error
		if component.PID != 0 {
			up = time.Since(component.Started).Round(time.Second).String()
		}
		fmt.Fprintf(table, "%s\t%d\t%s\t%d\t%d\t%d\t\n", component.Name, component.PID, up, component.Restarts,
			component.Resident/megabyte, component.Proportional/megabyte)
		resident, proportional = resident+component.Resident, proportional+component.Proportional
	}
	fmt.Fprintf(table, "total\t\t\t\t%d\t%d\t\n", resident/megabyte, proportional/megabyte)
	return table.Flush()
}
