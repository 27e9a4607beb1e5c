package api

import (
	"flag"
	"go/ast"
	"go/format"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

var rewrite = flag.Bool("rewrite", false, "write the API as it is into current.txt; then read the diff")

// packages are those that others import, by folder; those that there are not yet
// are passed over.
var packages = []string{".", "preemptiontest", "kube", "scheduler", "scheduler/explanation", "scheduler/decide", "scheduler/plugin", "simulate"}

func TestAPI(t *testing.T) {
	var lines []string
	for _, folder := range packages {
		lines = append(lines, exported(t, folder)...)
	}
	if *rewrite {
		if err := os.WriteFile("current.txt", []byte(strings.Join(lines, "\n")+"\n"), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if diff := cmp.Diff(read(t, "current.txt"), lines); diff != "" {
		t.Errorf("the API has changed (-current.txt +source); go test ./internal/api -rewrite, and say so in CHANGELOG.md:\n%s", diff)
	}
}

// What differs from the last release is in the changelog, by its name.
func TestChangelogNamesWhatChanged(t *testing.T) {
	text, err := os.ReadFile("../../CHANGELOG.md")
	if err != nil {
		t.Fatal(err)
	}
	_, unreleased, _ := strings.Cut(string(text), "\n## [Unreleased]\n")
	unreleased, _, _ = strings.Cut(unreleased, "\n## [")
	current, released := read(t, "current.txt"), read(t, "released.txt")
	for _, change := range []struct {
		what    string
		in, not []string
	}{{"new or changed", current, released}, {"gone or changed", released, current}} {
		for _, line := range change.in {
			name := nameIn(line)
			if folder, _, _ := strings.Cut(line, ": "); !declares(change.not, folder+": ") {
				name = folder // the package is new or gone as a whole
			}
			if owner := ownerIn(line); owner != "" && !declares(change.not, owner) {
				continue // the type is new or gone as a whole, and says so
			}
			if !slices.Contains(change.not, line) && !regexp.MustCompile(`\b`+name+`\b`).MatchString(unreleased) {
				t.Errorf("CHANGELOG.md, Unreleased, does not name %s, which is %s since the release: %s", name, change.what, line)
			}
		}
	}
}

func read(t *testing.T, file string) []string {
	t.Helper()
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	return strings.Split(strings.TrimSuffix(string(text), "\n"), "\n")
}

// nameIn is the name that a line declares.
func nameIn(line string) string {
	return regexp.MustCompile(`^\S+: (?:(?:func|const|var|type|method \(\S+\)) |(?:field|in) \w+\.\*?(?:\w+\.)?)(\w+)`).FindStringSubmatch(line)[1]
}

// ownerIn is the package and the type that a line is a member of, "" if it is
// none.
func ownerIn(line string) string {
	m := regexp.MustCompile(`^(\S+: )(?:method \(\*?(\w+)\) |(?:field|in) (\w+)\.)`).FindStringSubmatch(line)
	if m == nil {
		return ""
	}
	return m[1] + "type " + m[2] + m[3] + " "
}

// declares reports whether one of the lines begins so.
func declares(lines []string, prefix string) bool {
	return slices.ContainsFunc(lines, func(line string) bool { return strings.HasPrefix(line, prefix) })
}

// exported lists the declarations of exported names of a package, a line each.
func exported(t *testing.T, folder string) []string {
	t.Helper()
	set := token.NewFileSet()
	var lines []string
	add := func(kind string, decl ast.Node) {
		var text strings.Builder
		if err := format.Node(&text, set, decl); err != nil {
			t.Fatal(err)
		}
		lines = append(lines, folder+": "+kind+strings.Join(strings.Fields(text.String()), " "))
	}
	entries, err := os.ReadDir(filepath.Join("../..", folder))
	if err != nil && !os.IsNotExist(err) {
		t.Fatal(err)
	}
	for _, e := range entries {
		if !source(e) {
			continue
		}
		file, err := parser.ParseFile(set, filepath.Join("../..", folder, e.Name()), nil, parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		for _, decl := range file.Decls {
			switch d := decl.(type) {
			case *ast.FuncDecl:
				function(d, add)
			case *ast.GenDecl:
				for _, spec := range d.Specs {
					declaration(d.Tok, spec, add)
				}
			}
		}
	}
	slices.Sort(lines)
	return lines
}

func source(e fs.DirEntry) bool {
	return strings.HasSuffix(e.Name(), ".go") && !strings.HasSuffix(e.Name(), "_test.go")
}

func function(d *ast.FuncDecl, add func(string, ast.Node)) {
	if !d.Name.IsExported() {
		return
	}
	if d.Recv == nil {
		add("func "+d.Name.Name+" ", d.Type)
		return
	}
	receiver := d.Recv.List[0].Type
	name, pointer := receiver, ""
	if star, ok := receiver.(*ast.StarExpr); ok {
		name, pointer = star.X, "*"
	}
	if id, ok := name.(*ast.Ident); ok && id.IsExported() {
		add("method ("+pointer+id.Name+") "+d.Name.Name+" ", d.Type)
	}
}

func declaration(kind token.Token, spec ast.Spec, add func(string, ast.Node)) {
	switch s := spec.(type) {
	case *ast.ValueSpec:
		for i, name := range s.Names {
			if name.IsExported() {
				one := &ast.ValueSpec{Names: []*ast.Ident{name}, Type: s.Type}
				if kind == token.CONST && i < len(s.Values) {
					one.Values = s.Values[i : i+1]
				}
				add(kind.String()+" ", one)
			}
		}
	case *ast.TypeSpec:
		if !s.Name.IsExported() {
			return
		}
		switch of := s.Type.(type) {
		case *ast.StructType:
			add("type "+s.Name.Name+" ", ast.NewIdent("struct"))
			for _, f := range of.Fields.List {
				member("field "+s.Name.Name+".", f, add)
			}
		case *ast.InterfaceType:
			add("type "+s.Name.Name+" ", ast.NewIdent("interface"))
			for _, m := range of.Methods.List {
				member("in "+s.Name.Name+".", m, add)
			}
		default:
			add("type "+s.Name.Name+" ", of)
		}
	}
}

// member adds the exported names of a field or of a method of an interface; one
// that is embedded by the name of its type.
func member(prefix string, f *ast.Field, add func(string, ast.Node)) {
	if len(f.Names) == 0 {
		add(prefix, f.Type)
	}
	for _, name := range f.Names {
		if name.IsExported() {
			add(prefix+name.Name+" ", f.Type)
		}
	}
}
