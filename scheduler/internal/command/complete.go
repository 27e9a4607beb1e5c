package command

import (
	"maps"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"

	"example.com/preemption"
	"example.com/preemption/scheduler/internal/situation"
)

const noFiles = cobra.ShellCompDirectiveNoFileComp

// complete is called before a completion reads anything: flags are parsed twice by
// then, which appends to lists.
func (o *source) complete() {
	var files []string
	for _, f := range o.files {
		if !slices.Contains(files, f) {
			files = append(files, f)
		}
	}
	o.files = files
}

// completePods completes the name of a pod, with or without its type.
func (o *source) completePods(wanted func(*preemption.Pod) bool) cobra.CompletionFunc {
	return func(cmd *cobra.Command, args []string, typed string) ([]string, cobra.ShellCompDirective) {
		if len(args) > 1 || len(args) == 1 && !isPodType(args[0]) {
			return nil, noFiles
		}
		o.complete()
		s, err := o.situation(cmd.Context())
		if err != nil {
			return nil, noFiles
		}
		prefix := ""
		if kind, _, ok := strings.Cut(typed, "/"); ok {
			prefix = kind + "/"
		}
		if prefix != "" && !isPodType(strings.TrimSuffix(prefix, "/")) {
			return nil, noFiles
		}
		return podNames(s, o.defaultNamespace(), prefix, typed, wanted), noFiles
	}
}

func isPodType(s string) bool {
	group, known := targetTypes[strings.ToLower(s)]
	return known && !group
}

func podNames(s *situation.Situation, namespace, prefix, typed string, wanted func(*preemption.Pod) bool) []string {
	var names []string
	for _, p := range s.State.Pods {
		if name := prefix + p.Name; p.Namespace == namespace && wanted(p) && strings.HasPrefix(name, typed) {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	return names
}

// completeNamespaces completes the value of -n.
func (o *source) completeNamespaces(cmd *cobra.Command, _ []string, typed string) ([]string, cobra.ShellCompDirective) {
	o.complete()
	var names []string
	if len(o.files) > 0 || o.example {
		c, _, _, err := o.contents(cmd.Context())
		if err != nil {
			return nil, noFiles
		}
		for _, n := range c.Plugins.Namespaces {
			names = append(names, n.Name)
		}
		for _, p := range c.Cluster.Pods {
			names = append(names, p.Namespace)
		}
	} else {
		config, err := o.config.ToRESTConfig()
		if err != nil {
			return nil, noFiles
		}
		client, err := kubernetes.NewForConfig(config)
		if err != nil {
			return nil, noFiles
		}
		list, err := client.CoreV1().Namespaces().List(cmd.Context(), metav1.ListOptions{})
		if err != nil {
			return nil, noFiles
		}
		for _, n := range list.Items {
			names = append(names, n.Name)
		}
	}
	return starting(names, typed), noFiles
}

// completeContexts completes the value of --context.
func (o *source) completeContexts(_ *cobra.Command, _ []string, typed string) ([]string, cobra.ShellCompDirective) {
	config, err := o.config.ToRawKubeConfigLoader().RawConfig()
	if err != nil {
		return nil, noFiles
	}
	return starting(slices.Collect(maps.Keys(config.Contexts)), typed), noFiles
}

// starting returns the names that begin with what is typed, in order and each once.
func starting(names []string, typed string) []string {
	names = slices.DeleteFunc(names, func(name string) bool { return !strings.HasPrefix(name, typed) })
	slices.Sort(names)
	return slices.Compact(names)
}
