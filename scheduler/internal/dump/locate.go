package dump

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"

	"k8s.io/apimachinery/pkg/api/resource"
	"k8s.io/apimachinery/pkg/util/validation/field"
)

// located says at which field the conversion to a type like x failed, where that
// can be told; the converter itself does not.
func located(err error, object map[string]any, x any) error {
	if at := badQuantity(nil, object, false); at != nil {
		return at
	}
	var mismatch *json.UnmarshalTypeError
	if data, bad := json.Marshal(object); bad == nil && errors.As(json.Unmarshal(data, x), &mismatch) {
		return fmt.Errorf("%s: a %s cannot be a %v", mismatch.Field, mismatch.Value, mismatch.Type)
	}
	return err
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
