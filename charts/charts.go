// Package charts carries the Helm charts, so that the command line installs without a repository of charts.
package charts

import "embed"

// Operator is the folder stackwright-operator: the chart of the operators with the CRDs.
//
//go:embed all:stackwright-operator
var Operator embed.FS
