// Command figures prints what can be counted about the repository without a cluster, one `name value unit` a line, so
// that two commits can be compared with diff.
//
//	go -C tools run ./figures ..
package main

import (
	"fmt"
	"os"
	"path/filepath"
)

func main() {
	if len(os.Args) != 2 {
		fmt.Fprintln(os.Stderr, "usage: figures ROOT, where ROOT is the top of the repository")
		os.Exit(2)
	}
	figures, err := collect(os.Args[1])
	if err != nil {
		fmt.Fprintln(os.Stderr, "figures:", err)
		os.Exit(1)
	}
	for _, f := range figures {
		fmt.Println(f)
	}
}

// figure is one line of the output.
type figure struct {
	name  string
	value any
	unit  string
}

// String is the line.
func (f figure) String() string { return fmt.Sprintf("%s %v %s", f.name, f.value, f.unit) }

func collect(root string) ([]figure, error) {
	root, err := filepath.Abs(root)
	if err != nil {
		return nil, fmt.Errorf("finding the top of the repository: %w", err)
	}
	files, err := sources(root)
	if err != nil {
		return nil, err
	}
	sizes, err := crdSizes(filepath.Join(root, "charts"))
	if err != nil {
		return nil, err
	}
	return append(codeFigures(files), sizes...), nil
}
