package command

import (
	"errors"
	"fmt"
	"strings"
)

// A target is what a command is asked about.
type target struct {
	group     bool   // a pod group, else a pod
	namespace string // "" if it is not said
	name      string
}

// targetTypes are the names that kubectl has for what can be asked about.
var targetTypes = map[string]bool{ // whether it is a group
	"pod": false, "pods": false, "po": false,
	"podgroup": true, "podgroups": true, "podgroups.scheduling.k8s.io": true,
}

// parseTarget reads NAME, TYPE/NAME, TYPE NAME or NAMESPACE/NAME.
func parseTarget(args []string) (target, error) {
	if len(args) == 0 {
		return target{}, errors.New("name a pod")
	}
	if len(args) == 2 {
		group, known := targetTypes[strings.ToLower(args[0])]
		if !known {
			return target{}, fmt.Errorf("%q is no type that can be asked about (pod, podgroup); for several pods, ask one after another or use --all-pending with -l", args[0])
		}
		if strings.Contains(args[1], "/") {
			return target{}, fmt.Errorf("%q: there is no need for a type or a namespace before the name when the type is given as well", args[1])
		}
		return target{group: group, name: args[1]}, nil
	}
	if len(args) > 2 {
		return target{}, errors.New("ask about one pod at a time, or use --all-pending with -l")
	}
	before, name, ok := strings.Cut(args[0], "/")
	if !ok {
		return target{name: args[0]}, nil
	}
	if name == "" || before == "" || strings.Contains(name, "/") {
		return target{}, fmt.Errorf("%q: want NAME, TYPE/NAME or NAMESPACE/NAME", args[0])
	}
	if group, known := targetTypes[strings.ToLower(before)]; known {
		return target{group: group, name: name}, nil
	}
	return target{namespace: before, name: name}, nil
}

// target reads the arguments and says in which namespace to look.
func (o *source) target(args []string) (target, error) {
	t, err := parseTarget(args)
	if err != nil {
		return t, err
	}
	if ns := o.namespace(); t.namespace != "" && ns != "" && t.namespace != ns {
		return t, fmt.Errorf("pod %s/%s is in another namespace than -n %s", t.namespace, t.name, ns)
	}
	if t.namespace == "" {
		t.namespace = o.defaultNamespace()
	}
	return t, nil
}
