package preemption_test

import (
	"bytes"
	"go/ast"
	"go/importer"
	"go/parser"
	"go/token"
	"go/types"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"
	"unicode/utf8"
)

// sources lists the files of this folder, without those of tests.
func sources(t *testing.T) (files, tests []string) {
	t.Helper()
	all, err := filepath.Glob("*.go")
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range all {
		if strings.HasSuffix(name, "_test.go") {
			tests = append(tests, name)
		} else {
			files = append(files, name)
		}
	}
	return files, tests
}

// A newcomer finds a file by its name if there are not too many of them, and
// reads it if it is not too long.
func TestLayout(t *testing.T) {
	const mostFiles, mostTests, mostLines = 45, 25, 420
	files, tests := sources(t)
	if len(files) > mostFiles {
		t.Errorf("%d source files, want at most %d: join what is one idea, or move what knows no pods below internal", len(files), mostFiles)
	}
	if len(tests) > mostTests {
		t.Errorf("%d files of tests, want at most %d: move suites that use exported names alone below internal", len(tests), mostTests)
	}
	for _, name := range files {
		text, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		if n := bytes.Count(text, []byte("\n")); n > mostLines {
			t.Errorf("%s has %d lines, want at most %d", name, n, mostLines)
		}
	}
}

// Pages are wrapped, so that they read well in a terminal and a change to a
// sentence is a change of few lines. Code, tables and headings stay as they are,
// and so do the pages of others and what is longer without a space.
func TestPagesAreWrapped(t *testing.T) {
	const widest = 100
	err := filepath.WalkDir(".", func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() || filepath.Ext(path) != ".md" || strings.HasSuffix(path, ".upstream.md") {
			return err
		}
		text, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		code, number := false, 0
		for line := range strings.Lines(string(text)) {
			number++
			line = strings.TrimRight(line, "\n")
			if strings.HasPrefix(strings.TrimSpace(line), "```") {
				code = !code
			}
			prose := !code && !strings.HasPrefix(line, "|") && !strings.HasPrefix(line, "#") && !strings.HasPrefix(line, "    ")
			if prose && utf8.RuneCountInString(line) > widest && strings.Contains(strings.TrimLeft(line, " "), " ") {
				t.Errorf("%s:%d has %d columns, want at most %d", path, number, utf8.RuneCountInString(line), widest)
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}

// A drawing says which layer each file is in, the topmost layer first, and which
// files may use some of a layer above their own.
type drawing struct {
	layers     []string
	of         map[string]int // file to layer
	exceptions [][2]string    // patterns
}

// readDrawing reads the picture in docs/design.md: a line for each layer, with
// its name and its files, perhaps continued; what begins with a stroke is for
// people. Below it are the exceptions.
func readDrawing(t *testing.T) drawing {
	t.Helper()
	text, err := os.ReadFile("docs/design.md")
	if err != nil {
		t.Fatal(err)
	}
	_, picture, ok := strings.Cut(string(text), "## Layers\n")
	if !ok {
		t.Fatal("docs/design.md has no section Layers")
	}
	picture, _, _ = strings.Cut(picture, "\n## ")
	_, rest, _ := strings.Cut(picture, "```text\n")
	block, rest, _ := strings.Cut(rest, "```\n")
	d := drawing{of: make(map[string]int)}
	for line := range strings.Lines(block) {
		words := strings.Fields(line)
		if len(words) == 0 || strings.HasPrefix(words[0], "│") {
			continue
		}
		if !strings.HasPrefix(line, " ") {
			d.layers, words = append(d.layers, words[0]), words[1:]
		}
		for _, file := range words {
			if _, twice := d.of[file]; twice {
				t.Errorf("docs/design.md: %s is in two layers", file)
			}
			d.of[file] = len(d.layers) - 1
		}
	}
	for _, m := range regexp.MustCompile("(?m)^\\* `([^`]+)` → `([^`]+)`").FindAllStringSubmatch(rest, -1) {
		d.exceptions = append(d.exceptions, [2]string{m[1], m[2]})
	}
	return d
}

// TestLayers holds the files to the picture in docs/design.md: a file uses what
// is declared in its own layer and in those below it, but for the exceptions
// listed there.
func TestLayers(t *testing.T) {
	files, _ := sources(t)
	d := readDrawing(t)
	for _, name := range files {
		if _, ok := d.of[name]; !ok {
			t.Errorf("docs/design.md: %s is in no layer", name)
		}
	}
	for name := range d.of {
		if !slices.Contains(files, name) {
			t.Errorf("docs/design.md: there is no file %s", name)
		}
	}
	if t.Failed() {
		return
	}

	used := make([]bool, len(d.exceptions))
	for edge, name := range uses(t, files) {
		from, to := edge[0], edge[1]
		if d.of[from] <= d.of[to] {
			continue
		}
		i := slices.IndexFunc(d.exceptions, func(x [2]string) bool {
			a, _ := filepath.Match(x[0], from)
			b, _ := filepath.Match(x[1], to)
			return a && b
		})
		if i < 0 {
			t.Errorf("%s (%s) uses %s of %s (%s), a layer above", from, d.layers[d.of[from]], name, to, d.layers[d.of[to]])
			continue
		}
		used[i] = true
	}
	for i, x := range d.exceptions {
		if !used[i] {
			t.Errorf("docs/design.md: the exception %s → %s is not needed", x[0], x[1])
		}
	}
}

// What a struct gets from those embedded in it has one meaning: a name of its own, or
// of another one, hides none of theirs, unless it is a method in the place of one of
// the same signature.
func TestNothingIsHidden(t *testing.T) {
	for _, folder := range []string{".", "internal/columnar", "internal/best", "internal/cover"} {
		files, err := filepath.Glob(filepath.Join(folder, "*.go"))
		if err != nil {
			t.Fatal(err)
		}
		files = slices.DeleteFunc(files, func(name string) bool { return strings.HasSuffix(name, "_test.go") })
		_, pkg, _ := check(t, files)
		for _, name := range pkg.Scope().Names() {
			if declared, ok := pkg.Scope().Lookup(name).(*types.TypeName); ok {
				members(t, declared.Type(), name, make(map[string]types.Object))
			}
		}
	}
}

// members adds the fields and methods of a type, and of the structs of its package that
// are embedded in it, to those seen.
func members(t *testing.T, of types.Type, path string, seen map[string]types.Object) {
	t.Helper()
	if p, ok := of.(*types.Pointer); ok {
		of = p.Elem()
	}
	named, ok := of.(*types.Named)
	if !ok {
		return
	}
	add := func(object types.Object) {
		before, twice := seen[object.Name()]
		_, method := object.(*types.Func)
		if twice && !(method && types.Identical(before.Type(), object.Type())) {
			t.Errorf("%s: %s hides %s", path, before, object)
		}
		seen[object.Name()] = object
	}
	for i := range named.NumMethods() {
		add(named.Method(i))
	}
	fields, ok := named.Underlying().(*types.Struct)
	if !ok {
		return
	}
	for i := range fields.NumFields() {
		field := fields.Field(i)
		add(field)
		if inner, _ := types.Unalias(field.Type()).(*types.Named); field.Embedded() && (inner == nil || inner.Obj().Pkg() == field.Pkg()) {
			members(t, field.Type(), path+"."+field.Name(), seen)
		}
	}
}

// imported reads what the files import from its source, once for all tests.
var imported = sync.OnceValue(func() types.Importer {
	return importer.ForCompiler(token.NewFileSet(), "source", nil)
})

// check parses and type-checks files of one package.
func check(t *testing.T, files []string) (*token.FileSet, *types.Package, *types.Info) {
	t.Helper()
	set := token.NewFileSet()
	var parsed []*ast.File
	for _, name := range files {
		file, err := parser.ParseFile(set, name, nil, parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		parsed = append(parsed, file)
	}
	info := &types.Info{Uses: make(map[*ast.Ident]types.Object)}
	conf := types.Config{Importer: imported()}
	pkg, err := conf.Check("example.com/preemption", set, parsed, info)
	if err != nil {
		t.Fatal(err)
	}
	return set, pkg, info
}

// uses finds which file uses declarations of which other one, methods and fields
// among them, with the first of their names.
func uses(t *testing.T, files []string) map[[2]string]string {
	t.Helper()
	set, pkg, info := check(t, files)
	edges := make(map[[2]string]string)
	for id, object := range info.Uses {
		from, to := set.Position(id.Pos()).Filename, set.Position(object.Pos()).Filename
		if object.Pkg() != pkg || from == to {
			continue
		}
		edge := [2]string{from, to}
		if known, ok := edges[edge]; !ok || object.Name() < known {
			edges[edge] = object.Name()
		}
	}
	return edges
}
