// Command generate makes what follows from the descriptors of resources and from the Go types of the API: types, deep
// copies, CRDs, charts, roles and pages. With -check it also fails when that changed a file, which means that somebody
// forgot to commit it.
//
//	go -C tools run ./generate [-check] ..
package main

import (
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

func main() {
	check := flag.Bool("check", false, "fail when a generated file was not up to date")
	flag.Parse()
	if flag.NArg() != 1 {
		fmt.Fprintln(os.Stderr, "usage: generate [-check] ROOT, where ROOT is the top of the repository")
		os.Exit(2)
	}
	if err := run(flag.Arg(0), *check); err != nil {
		fmt.Fprintln(os.Stderr, "generate:", err)
		os.Exit(1)
	}
}

func run(root string, check bool) error {
	root, err := filepath.Abs(root)
	if err != nil {
		return fmt.Errorf("finding the top of the repository: %w", err)
	}
	before, err := snapshot(root)
	if err != nil {
		return err
	}
	since, err := times(root)
	if err != nil {
		return err
	}
	for _, c := range commands(root) {
		if err := c.execute(root); err != nil {
			return err
		}
	}
	if err := shorten(root); err != nil {
		return err
	}
	if err := makeCharts(root); err != nil {
		return err
	}
	// Templates of definitions are put into the charts that are there now.
	if err := (command{".", []string{"go", "run", "./internal/standalone/generate", "."}}).execute(root); err != nil {
		return err
	}
	after, err := snapshot(root)
	if err != nil {
		return err
	}
	changed := difference(before, after)
	if err := restore(root, since, changed); err != nil {
		return err
	}
	if check && len(changed) > 0 {
		return fmt.Errorf("%s: not what the types say; they are corrected now, commit them", strings.Join(changed, ", "))
	}
	return nil
}

// command is one run of a generator.
type command struct {
	// folder in which it runs, below the top of the repository: the module.
	folder string
	args   []string
}

func (c command) execute(root string) error {
	program := filepath.Join(root, "bin", c.args[0])
	if c.args[0] == "go" {
		program = "go"
	}
	cmd := exec.Command(program, c.args[1:]...)
	cmd.Dir = filepath.Join(root, c.folder)
	out, err := cmd.CombinedOutput()
	if err != nil {
		return fmt.Errorf("running %s in %s: %w\n%s", strings.Join(c.args, " "), c.folder, err, out)
	}
	return nil
}
