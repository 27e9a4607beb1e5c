package command

import (
	"encoding/json"
	"fmt"
	"os"
	"reflect"
	"slices"
	"strings"
	"testing"

	"k8s.io/apimachinery/pkg/runtime"

	"example.com/preemption/scheduler/explanation"
	"example.com/preemption/scheduler/internal/audit"
)

// documented are the files that describe the output.
const (
	schemaFile = "../../../docs/kubectl-output.schema.json"
	docsFile   = "../../../docs/kubectl.md"
)

// roots are the kinds of answers.
var roots = map[string]runtime.Object{
	explanation.Kind:           &explanation.Explanation{},
	explanation.ListKind:       &explanation.List{},
	explanation.GroupKind:      &explanation.GroupExplanation{},
	explanation.HistoryKind:    &explanation.History{},
	explanation.AuditKind:      &explanation.Audit{},
	explanation.EvictionKind:   &explanation.EvictionRisk{},
	explanation.CapacityKind:   &explanation.Capacity{},
	explanation.SimulationKind: &explanation.Simulation{},
	explanation.VersionKind:    &explanation.Version{},
}

// The schema in the docs is that of the types, and has all that it ever had: within
// a version of the output fields are only added. A change that this test reports is
// one that breaks somebody's script, unless it adds.
func TestSchema(t *testing.T) {
	definitions := map[string]any{}
	var kinds []any
	for _, kind := range sortedKeys(roots) {
		typ := reflect.TypeOf(roots[kind]).Elem()
		kinds = append(kinds, map[string]any{"$ref": "#/$defs/" + typ.Name()})
		describe(typ, definitions)
	}
	got, err := json.MarshalIndent(map[string]any{
		"$schema": "https://json-schema.org/draft/2020-12/schema",
		"title":   "What kubectl preemption prints with -o json, " + explanation.APIVersion,
		"anyOf":   kinds, "$defs": definitions,
	}, "", "  ")
	if err != nil {
		t.Fatal(err)
	}
	got = append(got, '\n')
	before, err := os.ReadFile(schemaFile)
	if err == nil {
		var old, now any
		if err := json.Unmarshal(before, &old); err != nil {
			t.Fatal(err)
		}
		if err := json.Unmarshal(got, &now); err != nil {
			t.Fatal(err)
		}
		for _, lost := range missing("", old, now) {
			t.Errorf("%s was there and is not any more", lost)
		}
	}
	if *update {
		if err := os.WriteFile(schemaFile, got, 0o600); err != nil {
			t.Fatal(err)
		}
		return
	}
	if string(before) != string(got) {
		t.Errorf("%s is not that of the types: go test -run TestSchema -update, and read the difference", schemaFile)
	}
}

// missing lists what the old value has and the new one has not. Names of required
// fields may be added, too.
func missing(at string, old, now any) []string {
	switch old := old.(type) {
	case map[string]any:
		m, ok := now.(map[string]any)
		if !ok {
			return []string{at}
		}
		var list []string
		for name := range old {
			list = append(list, missing(at+"/"+name, old[name], m[name])...)
		}
		return list
	case []any:
		l, _ := now.([]any)
		var list []string
		for _, x := range old {
			if !slices.ContainsFunc(l, func(y any) bool { return reflect.DeepEqual(x, y) }) {
				list = append(list, fmt.Sprintf("%s: %v", at, x))
			}
		}
		return list
	}
	if old != now {
		return []string{fmt.Sprintf("%s: %v", at, old)}
	}
	return nil
}

// describe adds the schema of a type, and of those it is made of.
func describe(typ reflect.Type, definitions map[string]any) map[string]any {
	switch typ.Kind() {
	case reflect.Pointer:
		return describe(typ.Elem(), definitions)
	case reflect.Slice:
		return map[string]any{"type": "array", "items": describe(typ.Elem(), definitions)}
	case reflect.Map:
		return map[string]any{"type": "object", "additionalProperties": describe(typ.Elem(), definitions)}
	case reflect.String:
		return map[string]any{"type": "string"}
	case reflect.Bool:
		return map[string]any{"type": "boolean"}
	case reflect.Int, reflect.Int32, reflect.Int64:
		return map[string]any{"type": "integer"}
	}
	if typ.Name() == "Time" {
		return map[string]any{"type": "string", "format": "date-time"}
	}
	ref := map[string]any{"$ref": "#/$defs/" + typ.Name()}
	if definitions[typ.Name()] != nil {
		return ref
	}
	properties := map[string]any{}
	required := []any{}
	definitions[typ.Name()] = map[string]any{} // for types within themselves
	var fields func(typ reflect.Type)
	fields = func(typ reflect.Type) {
		for i := range typ.NumField() {
			f := typ.Field(i)
			name, options, _ := strings.Cut(f.Tag.Get("json"), ",")
			if f.Anonymous {
				fields(f.Type)
				continue
			}
			properties[name] = describe(f.Type, definitions)
			if !strings.Contains(options, "omitempty") {
				required = append(required, name)
			}
		}
	}
	fields(typ)
	definitions[typ.Name()] = map[string]any{"type": "object", "properties": properties, "required": required}
	return ref
}

// Every kind of finding has a paragraph in the docs, and a case in the reviewed
// output.
func TestFindingsAreDocumented(t *testing.T) {
	docs, err := os.ReadFile(docsFile)
	if err != nil {
		t.Fatal(err)
	}
	var cases strings.Builder
	for _, file := range []string{"testdata/audit.json", "testdata/audit-default.json"} {
		data, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		cases.Write(data)
	}
	for _, id := range audit.IDs() {
		if !strings.Contains(string(docs), "\n**`"+id+"`**") {
			t.Errorf("docs/kubectl.md has no paragraph about %s", id)
		}
		if !strings.Contains(cases.String(), `"id": "`+id+`"`) {
			t.Errorf("no case has %s", id)
		}
	}
}

func sortedKeys[V any](m map[string]V) []string {
	var keys []string
	for k := range m {
		keys = append(keys, k)
	}
	slices.Sort(keys)
	return keys
}
