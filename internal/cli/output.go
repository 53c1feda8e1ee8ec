package cli

import (
	"encoding/json"
	"fmt"
	"io"
	"strings"
	"text/tabwriter"
	"time"

	"sigs.k8s.io/yaml"
)

// print writes v as -o asks, or else what text writes.
func (a *app) print(v any, text func()) error {
	switch a.output {
	case "json":
		e := json.NewEncoder(a.out)
		e.SetIndent("", "  ")
		if err := e.Encode(v); err != nil {
			return fmt.Errorf("encoding the answer: %w", err)
		}
	case "yaml":
		data, err := yaml.Marshal(v)
		if err != nil {
			return fmt.Errorf("encoding the answer: %w", err)
		}
		fmt.Fprint(a.out, string(data))
	default:
		text()
	}
	return nil
}

// table writes rows in columns; the first row is the head.
func (a *app) table(rows [][]string) { writeTable(a.out, rows) }

// writeTable gives each row as many cells as the head has: where cells are left out, a column begins anew below.
func writeTable(to io.Writer, rows [][]string) {
	var text strings.Builder
	w := tabwriter.NewWriter(&text, 0, 0, 2, ' ', 0)
	for _, r := range rows {
		fmt.Fprintln(w, strings.Join(r, "\t")+strings.Repeat("\t", len(rows[0])-len(r)))
	}
	_ = w.Flush()
	for line := range strings.Lines(text.String()) {
		fmt.Fprintln(to, strings.TrimRight(line, " \n"))
	}
}

// age tells how long ago something was, as kubectl does.
func age(t time.Time) string {
	if t.IsZero() {
		return ""
	}
	switch d := time.Since(t); {
	case d < 2*time.Minute:
		return fmt.Sprintf("%ds", max(int(d.Seconds()), 0))
	case d < 2*time.Hour:
		return fmt.Sprintf("%dm", int(d.Minutes()))
	case d < 48*time.Hour:
		return fmt.Sprintf("%dh", int(d.Hours()))
	default:
		return fmt.Sprintf("%dd", int(d.Hours()/24))
	}
}
