package dump

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/google/go-cmp/cmp"
	"sigs.k8s.io/yaml"
)

// cut returns the pieces of an input.
func cut(in io.Reader) ([]string, error) {
	var list []string
	err := pieces(in, "input", func(p piece) error {
		list = append(list, fmt.Sprintf("%s %s %s", p.version, p.kind, p.json))
		return nil
	})
	return list, err
}

// pruned is the slow twin of keep, on a decoded value.
func pruned(x any, k *keep) any {
	switch x := x.(type) {
	case map[string]any:
		out := map[string]any{}
		for name, value := range x {
			below, drop := k.field([]byte(name))
			if !drop {
				out[name] = pruned(value, below)
			}
		}
		return out
	case []any:
		out := make([]any, len(x))
		for i := range x {
			out[i] = pruned(x[i], k)
		}
		return out
	}
	return x
}

// flattened is the slow twin of the stream: all of it is decoded at once.
func flattened(x map[string]any, version, kind string) []string {
	own := func(name, other string) string {
		if s, ok := x[name].(string); ok {
			return s
		}
		return other
	}
	version, kind = own("apiVersion", version), own("kind", kind)
	items, list := x["items"].([]any)
	if !list {
		if isList(version, kind) {
			return nil
		}
		data, _ := json.Marshal(pruned(x, fieldsKept))
		return []string{fmt.Sprintf("%s %s %s", version, kind, data)}
	}
	itemVersion, itemKind := "", ""
	if isList(version, kind) && kind != "List" {
		itemVersion, itemKind = version, strings.TrimSuffix(kind, "List")
	}
	var out []string
	for _, item := range items {
		out = append(out, flattened(item.(map[string]any), itemVersion, itemKind)...)
	}
	return out
}

// randomValue makes JSON with the names that are left out, at places where they are
// and where they are not.
func randomValue(r *rand.Rand, depth int) any {
	names := []string{"metadata", "spec", "status", "containers", "env", "managedFields", "annotations", "a\"b", "containerStatuses", "state", "images",
		"kubectl.kubernetes.io/last-applied-configuration", "x"}
	switch n := r.IntN(8); {
	case n < 3 && depth > 0:
		m := map[string]any{}
		for range r.IntN(4) {
			m[names[r.IntN(len(names))]] = randomValue(r, depth-1)
		}
		return m
	case n < 5 && depth > 0:
		l := []any{}
		for range r.IntN(3) {
			l = append(l, randomValue(r, depth-1))
		}
		return l
	case n == 5:
		return []any{nil, true, false}[r.IntN(3)]
	case n == 6:
		return json.Number([]string{"0", "-1.5e3", "12", "9007199254740993"}[r.IntN(4)])
	}
	return []string{"", "é€", "a\\\"b\n\t", "{[]}:,", "managedFields: - x", strings.Repeat("long ", 20)}[r.IntN(6)]
}

func randomObject(r *rand.Rand, kind bool) map[string]any {
	x := map[string]any{}
	for _, name := range []string{"metadata", "spec", "status"} {
		x[name] = randomValue(r, 4)
	}
	if kind {
		x["apiVersion"], x["kind"] = "v1", []string{"Pod", "Node", "Thing"}[r.IntN(3)]
	}
	return x
}

func randomInput(r *rand.Rand) map[string]any {
	switch r.IntN(4) {
	case 0:
		return randomObject(r, true)
	case 1: // as kubectl prints them
		items := []any{}
		for range r.IntN(4) {
			items = append(items, randomObject(r, true))
		}
		return map[string]any{"apiVersion": "v1", "kind": "List", "items": items}
	case 2: // a list in a list
		return map[string]any{"apiVersion": "v1", "kind": "List", "items": []any{randomObject(r, true), map[string]any{"apiVersion": "v1", "kind": "PodList", "items": []any{randomObject(r, false)}}}}
	}
	items := []any{}
	for range r.IntN(4) {
		items = append(items, randomObject(r, false))
	}
	return map[string]any{"apiVersion": "v1", "kind": "PodList", "items": items}
}

// Streaming gives what decoding it all at once does, in both languages, however the
// input is indented, cut into reads, or ordered: the kind of a list may follow its
// items.
func TestStreamAsWhole(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for range 4000 {
		x := randomInput(r)
		want := flattened(x, "", "")
		var in []byte
		var err error
		yamlToo := r.IntN(3) == 0
		switch {
		case yamlToo:
			in, err = yaml.Marshal(x)
		case r.IntN(2) == 0:
			in, err = json.MarshalIndent(x, "", "    ")
		default:
			in, err = json.Marshal(x)
		}
		if err != nil {
			t.Fatal(err)
		}
		var reader io.Reader = bytes.NewReader(in)
		if r.IntN(2) == 0 {
			reader = iotest.OneByteReader(reader)
		}
		got, err := cut(reader)
		if err != nil {
			t.Fatalf("%v\n%s", err, in)
		}
		if diff := cmp.Diff(sortedFields(t, want), sortedFields(t, got)); diff != "" {
			t.Fatalf("(-want +got):\n%s\n%s", diff, in)
		}
	}
}

// sortedFields puts the fields of each piece in order.
func sortedFields(t *testing.T, list []string) []string {
	t.Helper()
	var out []string
	for _, s := range list {
		i := strings.IndexByte(s, '{')
		var x map[string]any
		d := json.NewDecoder(strings.NewReader(s[i:]))
		d.UseNumber()
		if err := d.Decode(&x); err != nil {
			t.Fatalf("%v: %s", err, s)
		}
		if x["metadata"] == nil {
			x["metadata"] = map[string]any{} // all that a YAML object had there was left out
		}
		data, _ := json.Marshal(plain(x))
		out = append(out, s[:i]+string(data))
	}
	return out
}

// plain writes numbers in one way: YAML has its own.
func plain(x any) any {
	switch x := x.(type) {
	case map[string]any:
		for name := range x {
			x[name] = plain(x[name])
		}
	case []any:
		for i := range x {
			x[i] = plain(x[i])
		}
	case json.Number:
		n, _ := x.Float64()
		return n
	}
	return x
}

// An input that is cut short anywhere is an error, unless it ends between objects.
func TestTruncated(t *testing.T) {
	whole := `{"apiVersion":"v1","kind":"List","items":[{"apiVersion":"v1","kind":"Pod","metadata":{"name":"a","labels":{"x":"é\n"}},"spec":{"n":[1,2,{}]}}]} `
	for n := 1; n < len(whole)-1; n++ {
		if _, err := cut(strings.NewReader(whole[:n])); err == nil {
			t.Errorf("no error for %q", whole[:n])
		} else if strings.Count(err.Error(), "\n") > 0 || !strings.HasPrefix(err.Error(), "input: line 1") {
			t.Errorf("%q for %q", err, whole[:n])
		}
	}
	broken := errors.New("the cable is out")
	if _, err := cut(io.MultiReader(strings.NewReader(whole[:50]), iotest.ErrReader(broken))); !errors.Is(err, broken) {
		t.Errorf("got %v", err)
	}
}

// The items of a YAML list are found whatever is in them; a list of another form is
// parsed whole.
func TestSplitList(t *testing.T) {
	for _, tc := range []struct {
		name, input string
		split       bool
		want        int
	}{
		{"as kubectl prints it", "apiVersion: v1\nitems:\n- apiVersion: v1\n  kind: Pod\n  metadata:\n    name: a\n- apiVersion: v1\n  kind: Pod\n  metadata:\n    name: b\nkind: List\n", true, 2},
		{"indented", "apiVersion: v1\nkind: PodList\nitems:\n  - metadata:\n      name: a\n  - metadata:\n      name: b\n", true, 2},
		{"a block of text with dashes", "apiVersion: v1\nitems:\n- apiVersion: v1\n  kind: Pod\n  metadata:\n    annotations:\n      script: |\n        - a\n\n        - b\n    name: a\nkind: List\n", true, 1},
		{"a comment between items", "apiVersion: v1\nkind: PodList\nitems:\n# the first\n- metadata: {name: a}\n# the second\n- metadata: {name: b}\n", true, 2},
		{"anchors", "apiVersion: v1\nkind: PodList\nitems:\n- metadata: {name: a, labels: &l {x: y}}\n- metadata:\n    name: b\n    labels: *l\n", false, 2},
		{"flow style", "{apiVersion: v1, kind: PodList, items: [{metadata: {name: a}}]}\n", false, 1},
	} {
		t.Run(tc.name, func(t *testing.T) {
			if _, _, ok := splitList([]byte(tc.input)); ok != tc.split {
				t.Errorf("split: %v, want %v", ok, tc.split)
			}
			got, err := cut(strings.NewReader(tc.input))
			if err != nil || len(got) != tc.want {
				t.Errorf("%d pieces, want %d: %v\n%s", len(got), tc.want, err, strings.Join(got, "\n"))
			}
		})
	}
}

// Errors name where in the input an object stands, in lines and items of a list.
func TestPlaces(t *testing.T) {
	for name, tc := range map[string]struct {
		input string
		want  []string
	}{
		"documents": {"a: 1\n---\nb: 2\n---\n\n--- {c: 3}\n--- # the last\nd: 4\n", []string{"line 1", "line 3", "line 6", "line 8"}},
		"a YAML list": {"a: 1\n---\napiVersion: v1\nkind: PodList\nitems:\n- b: 2\n# the second\n- c: 3\n",
			[]string{"line 1", "line 6 (item 1 of the list)", "line 8 (item 2 of the list)"}},
		"a YAML list that is parsed whole": {"a: 1\n---\n{apiVersion: v1, kind: PodList, items: [{b: 2}, {c: 3}]}\n",
			[]string{"line 1", "line 3 (item 1 of the list)", "line 3 (item 2 of the list)"}},
		"JSON": {"{\"a\": 1}\n\n{\"apiVersion\": \"v1\", \"kind\": \"PodList\", \"items\": [\n{\"b\": 2},\n{\"c\": 3}]} {\"d\": 4}\n---\ne: 5\n",
			[]string{"line 1", "line 4 (item 1 of the list)", "line 5 (item 2 of the list)", "line 5", "line 7"}},
	} {
		var got []string
		err := pieces(strings.NewReader(tc.input), "input", func(p piece) error {
			got = append(got, strings.TrimPrefix(p.at.String(), "input: "))
			return nil
		})
		if diff := cmp.Diff(tc.want, got); diff != "" || err != nil {
			t.Errorf("%s: %v (-want +got):\n%s", name, err, diff)
		}
	}
}

func FuzzStream(f *testing.F) {
	for _, s := range []string{
		`{"apiVersion":"v1","kind":"Pod","metadata":{"name":"a"}}`, "a: b\n---\nc: d\n", `{"items":[{},{"kind":"x"}],"kind":"PodList","apiVersion":"v1"}`, "{}{}", "{\n---\n",
	} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, in []byte) {
		var whole []string
		err := pieces(bytes.NewReader(in), "input", func(p piece) error {
			if len(p.json) == 0 || p.json[0] != '{' || p.json[len(p.json)-1] != '}' {
				t.Errorf("a piece that is no object: %q", p.json)
			}
			whole = append(whole, string(p.json))
			return nil
		})
		var bytewise []string
		again := pieces(iotest.OneByteReader(bytes.NewReader(in)), "input", func(p piece) error {
			bytewise = append(bytewise, string(p.json))
			return nil
		})
		if (err == nil) != (again == nil) || err == nil && !cmp.Equal(whole, bytewise) {
			t.Errorf("in one read %v, %v; byte by byte %v, %v", whole, err, bytewise, again)
		}
	})
}
