package dump

import (
	stdjson "encoding/json"
	"errors"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/api/resource"
	"k8s.io/apimachinery/pkg/util/validation/field"
	"sigs.k8s.io/json"
)

// located says at which field the decoding of an object failed, where that can be
// told.
func located(err error, data []byte) error {
	var object any
	if json.UnmarshalCaseSensitivePreserveInts(data, &object) == nil {
		if at := badQuantity(nil, object, false); at != nil {
			return at
		}
	}
	var wrong *stdjson.UnmarshalTypeError
	if !errors.As(err, &wrong) {
		return shortened(err)
	}
	number, isNumber := strings.CutPrefix(wrong.Value, "number ")
	switch {
	case isNumber && isInt(wrong.Type.String()):
		return fmt.Errorf("%s: Invalid value: %s: is out of the range of an %v", wrong.Field, number, wrong.Type)
	case wrong.Value == "bool" && wrong.Type.Kind() == reflect.String:
		return fmt.Errorf("%s: a bool cannot be a string: put the value in quotes (in YAML y, n, yes, no, on and off are bools too)", wrong.Field)
	case wrong.Value == "number" && wrong.Type.Kind() == reflect.String:
		return fmt.Errorf("%s: a number cannot be a string: put the value in quotes", wrong.Field)
	}
	return fmt.Errorf("%s: a %s cannot be a %s", wrong.Field, wrong.Value, readable(wrong.Type.String()))
}

func isInt(typ string) bool { return strings.HasPrefix(typ, "int") || strings.HasPrefix(typ, "uint") }

// readable names a Go type as users do.
func readable(typ string) string {
	switch {
	case strings.HasPrefix(typ, "[]"):
		return "list"
	case strings.HasPrefix(typ, "map["):
		return "map"
	}
	if i := strings.LastIndexByte(typ, '.'); i >= 0 {
		return typ[i+1:]
	}
	return typ
}

// quantities are the fields that map the names of resources to quantities.
var quantities = []string{"requests", "limits", "overhead", "allocatable", "capacity", "allocatedResources"}

// badQuantity returns the first field, by name, that should be a quantity and is
// not.
func badQuantity(path *field.Path, x any, quantity bool) error {
	switch x := x.(type) {
	case map[string]any:
		for _, name := range slices.Sorted(maps.Keys(x)) {
			at := field.NewPath(name)
			if path != nil && quantity {
				at = path.Key(name)
			} else if path != nil {
				at = path.Child(name)
			}
			if err := badQuantity(at, x[name], quantity || slices.Contains(quantities, name)); err != nil {
				return err
			}
		}
	case []any:
		for i := range x {
			if err := badQuantity(path.Index(i), x[i], quantity); err != nil {
				return err
			}
		}
	default:
		if !quantity {
			return nil
		}
		if _, err := resource.ParseQuantity(fmt.Sprint(x)); err != nil {
			return field.Invalid(path, x, "is not a quantity such as 500m, 2 or 1Gi")
		}
	}
	return nil
}
