package scenario

import (
	"fmt"
	"math/big"
	"strconv"
	"strings"

	"example.com/preemption"
)

// parseQuantity reads an amount of a resource as Kubernetes writes it: cpu in
// cores or, with an m, in millicores; others in units, with a suffix or not.
func parseQuantity(resource, s string) (int64, error) {
	digits, scale := s, big.NewRat(1, 1)
	for _, u := range units {
		if rest, ok := strings.CutSuffix(s, u.suffix); ok {
			digits, scale = rest, u.scale
			break
		}
	}
	if strings.Trim(digits, "0123456789.-") != "" || len(digits) > 25 {
		return 0, fmt.Errorf("%s=%s is not a quantity: want something like 4, 500m or 8Gi", resource, s)
	}
	n, ok := new(big.Rat).SetString(digits)
	if !ok {
		return 0, fmt.Errorf("%s=%s is not a quantity: want something like 4, 500m or 8Gi", resource, s)
	}
	n.Mul(n, scale)
	if resource == preemption.CPU {
		n.Mul(n, big.NewRat(1000, 1))
	}
	if !n.IsInt() || !n.Num().IsInt64() {
		return 0, fmt.Errorf("%s=%s is not a whole number of %s that an int64 holds", resource, s, unitOf(resource))
	}
	return n.Num().Int64(), nil
}

func unitOf(resource string) string {
	if resource == preemption.CPU {
		return "millicores"
	}
	return "units"
}

// units are the suffixes, those that end in another one first.
var units = []struct {
	suffix string
	scale  *big.Rat
}{
	{"Ki", big.NewRat(1<<10, 1)}, {"Mi", big.NewRat(1<<20, 1)}, {"Gi", big.NewRat(1<<30, 1)}, {"Ti", big.NewRat(1<<40, 1)},
	{"k", big.NewRat(1e3, 1)}, {"M", big.NewRat(1e6, 1)}, {"G", big.NewRat(1e9, 1)}, {"T", big.NewRat(1e12, 1)},
	{"m", big.NewRat(1, 1000)},
}

// formatQuantity writes an amount as parseQuantity reads it.
func formatQuantity(resource string, n int64) string {
	switch {
	case resource == preemption.CPU && n%1000 == 0:
		return strconv.FormatInt(n/1000, 10)
	case resource == preemption.CPU:
		return strconv.FormatInt(n, 10) + "m"
	case resource == preemption.Memory || resource == preemption.EphemeralStorage:
		for _, u := range []struct {
			suffix string
			size   int64
		}{{"Gi", 1 << 30}, {"Mi", 1 << 20}, {"Ki", 1 << 10}} {
			if n != 0 && n%u.size == 0 {
				return strconv.FormatInt(n/u.size, 10) + u.suffix
			}
		}
	}
	return strconv.FormatInt(n, 10)
}
