package main

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/scanner"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
)

// source is what is counted in one Go file.
type source struct {
	// folder below the top of the repository.
	folder    string
	test      bool
	code      int
	comments  int
	exempt    int
	functions []function
}

type function struct {
	name  string
	lines int
}

var (
	generatedCode = regexp.MustCompile(`(?m)^// Code generated .* DO NOT EDIT\.$`)
	exemption     = regexp.MustCompile(`^//\s*nolint`)
)

// sources reads all Go files that people write.
func sources(root string) ([]source, error) {
	var list []source
	err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() && path != root && skipped(d.Name()) {
			return filepath.SkipDir
		}
		if d.IsDir() || filepath.Ext(path) != ".go" {
			return nil
		}
		content, err := os.ReadFile(path)
		if err != nil || generatedCode.Match(content) {
			return err
		}
		rel, err := filepath.Rel(root, path)
		if err != nil {
			return err
		}
		s, err := read(rel, content)
		list = append(list, s)
		return err
	})
	return list, err
}

func skipped(folder string) bool {
	return strings.HasPrefix(folder, ".") || folder == "testdata" || folder == "bin" || folder == "artifacts"
}

func read(path string, content []byte) (source, error) {
	s := source{folder: filepath.ToSlash(filepath.Dir(path)), test: strings.HasSuffix(path, "_test.go")}
	files := token.NewFileSet()
	parsed, err := parser.ParseFile(files, path, content, parser.SkipObjectResolution)
	if err != nil {
		return s, fmt.Errorf("reading %s: %w", path, err)
	}
	s.count(content)
	for _, d := range parsed.Decls {
		if f, ok := d.(*ast.FuncDecl); ok {
			lines := files.Position(f.End()).Line - files.Position(f.Pos()).Line + 1
			s.functions = append(s.functions, function{name: s.folder + "." + receiver(f) + f.Name.Name, lines: lines})
		}
	}
	return s, nil
}

// count tells lines of code from lines that hold nothing but a comment.
func (s *source) count(content []byte) {
	files := token.NewFileSet()
	file := files.AddFile("", -1, len(content))
	var scan scanner.Scanner
	scan.Init(file, content, nil, scanner.ScanComments)
	code, comment := map[int]bool{}, map[int]bool{}
	for {
		pos, tok, text := scan.Scan()
		if tok == token.EOF {
			break
		}
		seen := code
		switch {
		case tok == token.SEMICOLON && text == "\n":
			continue
		case tok == token.COMMENT:
			seen = comment
			if exemption.MatchString(text) {
				s.exempt++
			}
		}
		first := file.Line(pos)
		for line := first; line <= first+strings.Count(text, "\n"); line++ {
			seen[line] = true
		}
	}
	s.code = len(code)
	for line := range comment {
		if !code[line] {
			s.comments++
		}
	}
}

func receiver(f *ast.FuncDecl) string {
	if f.Recv == nil || len(f.Recv.List) == 0 {
		return ""
	}
	t := f.Recv.List[0].Type
	if star, ok := t.(*ast.StarExpr); ok {
		t = star.X
	}
	switch x := t.(type) {
	case *ast.IndexExpr:
		t = x.X
	case *ast.IndexListExpr:
		t = x.X
	}
	if id, ok := t.(*ast.Ident); ok {
		return id.Name + "."
	}
	return ""
}
