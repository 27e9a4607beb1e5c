package command

import (
	"cmp"
	"context"
	"errors"
	"fmt"

	"github.com/spf13/cobra"
	v1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/cli-runtime/pkg/genericclioptions"
	"k8s.io/cli-runtime/pkg/genericiooptions"
	"k8s.io/client-go/kubernetes"

	"example.com/preemption"
	"example.com/preemption/scheduler/internal/dump"
	"example.com/preemption/scheduler/internal/example"
	"example.com/preemption/scheduler/internal/live"
	"example.com/preemption/scheduler/internal/situation"
)

// A source is where the cluster comes from and where answers go: the flags that
// all commands have.
type source struct {
	genericiooptions.IOStreams
	config *genericclioptions.ConfigFlags
	print  *genericclioptions.PrintFlags

	files         []string
	recursive     bool
	example       bool
	noColor       bool
	version       string
	scheduler     string
	allNamespaces bool
	selector      string

	progress *progress
}

func newSource(streams genericiooptions.IOStreams) *source {
	return &source{
		IOStreams: streams, config: genericclioptions.NewConfigFlags(true), print: genericclioptions.NewPrintFlags(""),
		progress: newProgress(streams.ErrOut),
	}
}

// addFlags adds the flags, those about several objects only where they mean
// something.
func (o *source) addFlags(cmd *cobra.Command, several bool, formats string) {
	f := cmd.Flags()
	f.StringSliceVarP(&o.files, "filename", "f", nil, "Files, directories or addresses with the cluster's objects; - is standard input.")
	f.BoolVarP(&o.recursive, "recursive", "R", false, "Read directories in -f recursively.")
	f.BoolVar(&o.example, "example", false, "Ask about a built-in example.")
	f.BoolVar(&o.noColor, "no-color", false, "Print without colour, on a terminal too.")
	f.StringVar(&o.version, "kubernetes-version", "", "Follow the rules of "+listReleases("or")+". Defaults to the cluster's version, for dumps to that of the kubelets.")
	if several {
		f.BoolVarP(&o.allNamespaces, "all-namespaces", "A", false, "Of all namespaces; the default unless -n is given.")
		f.StringVarP(&o.selector, "selector", "l", "", "Only pods with these labels (such as app=web,tier!=test).")
	}
	o.config.AddFlags(f)
	o.print.JSONYamlPrintFlags.AddFlags(cmd)
	o.print.TemplatePrinterFlags.AddFlags(cmd)
	f.StringVarP(o.print.OutputFormat, "output", "o", "", "Output format: "+formats+".")
	_ = cmd.RegisterFlagCompletionFunc("namespace", o.completeNamespaces)
	_ = cmd.RegisterFlagCompletionFunc("context", o.completeContexts)
	_ = cmd.RegisterFlagCompletionFunc("kubernetes-version", cobra.FixedCompletions(minors(), cobra.ShellCompDirectiveNoFileComp))
}

// addSchedulerFlag adds the flag of the commands that tell what a scheduler does.
func (o *source) addSchedulerFlag(cmd *cobra.Command) {
	cmd.Flags().StringVar(&o.scheduler, "scheduler-name", v1.DefaultSchedulerName, "The scheduler that is asked about: it tries the pods whose spec.schedulerName this is.")
}

// validate checks that the flags go together.
func (o *source) validate() error {
	if o.example && len(o.files) > 0 {
		return errors.New("--example and -f exclude each other")
	}
	if o.allNamespaces && o.namespace() != "" {
		return errors.New("-n and -A exclude each other")
	}
	if _, err := labels.Parse(o.selector); err != nil {
		return fmt.Errorf("--selector: %w", err)
	}
	if _, err := preemption.ParseRelease(o.version); err != nil {
		return fmt.Errorf("--kubernetes-version: %q: want %s", o.version, listReleases("or"))
	}
	return nil
}

// namespace is that of -n, "" if it is not given.
func (o *source) namespace() string {
	if o.config.Namespace == nil {
		return ""
	}
	return *o.config.Namespace
}

// defaultNamespace is that of -n, else the kubeconfig's for a live cluster.
func (o *source) defaultNamespace() string {
	if ns := o.namespace(); ns != "" {
		return ns
	}
	if o.example {
		return example.Namespace
	}
	if len(o.files) == 0 {
		if ns, _, err := o.config.ToRawKubeConfigLoader().Namespace(); err == nil && ns != "" {
			return ns
		}
	}
	return metav1.NamespaceDefault
}

// wanted reports whether an object is of the namespace and has the labels that
// the flags ask for.
func (o *source) wanted(namespace string, of map[string]string) bool {
	if ns := o.namespace(); ns != "" && ns != namespace {
		return false
	}
	selector, err := labels.Parse(o.selector)
	return err == nil && selector.Matches(labels.Set(of))
}

// situation reads the cluster from where the flags say.
func (o *source) situation(ctx context.Context) (*situation.Situation, error) {
	c, notes, version, err := o.contents(ctx)
	if err != nil {
		return nil, err
	}
	release, note := o.rules(version)
	if note != "" {
		notes = append(notes, note)
	}
	s, err := situation.New(c, release)
	if err != nil {
		return nil, err
	}
	s.Notes = append(notes, s.Notes...)
	s.Scheduler = cmp.Or(o.scheduler, s.Scheduler)
	return s, nil
}

// contents reads the objects, and tells what could not be read and the version of
// the cluster, "" if it is not known.
func (o *source) contents(ctx context.Context) (c *dump.Contents, notes []string, version string, err error) {
	if len(o.files) == 0 && !o.example {
		return o.fetch(ctx)
	}
	c = &dump.Contents{}
	o.progress.say("reading")
	if o.example {
		return c, nil, preemption.Release137.String(), example.Read(c)
	}
	if err := c.Files(o.files, o.recursive, o.In); err != nil {
		return nil, nil, "", err
	}
	return c, nil, situation.KubeletVersion(c), nil
}

func (o *source) fetch(ctx context.Context) (*dump.Contents, []string, string, error) {
	config, err := o.config.ToRESTConfig()
	if err != nil {
		return nil, nil, "", err
	}
	client, err := kubernetes.NewForConfig(config)
	if err != nil {
		return nil, nil, "", err
	}
	o.progress.say("reading the cluster")
	c, notes, err := live.Fetch(ctx, client)
	if err != nil {
		return nil, nil, "", err
	}
	if v, err := client.Discovery().ServerVersion(); err == nil {
		return c, notes, v.GitVersion, nil
	}
	return c, notes, "", nil
}

// newPod reads a pod that does not exist yet, and how many of it there are to be:
// replicas, or if that is 0 what the manifest says.
func (o *source) newPod(s *situation.Situation, file string, replicas int) (*preemption.Pod, int, error) {
	t, err := dump.ReadTemplate(file, o.In, o.namespace())
	if err != nil {
		return nil, 0, err
	}
	if ns := o.namespace(); ns != "" && t.Pod.Namespace != ns {
		return nil, 0, fmt.Errorf("the namespace of the manifest is %q, that of -n %q: give -n %s", t.Pod.Namespace, ns, t.Pod.Namespace)
	}
	if replicas == 0 {
		replicas = t.Replicas
	}
	if replicas == 0 {
		return nil, 0, fmt.Errorf("%s has no replicas: give --replicas N", t.Workload)
	}
	pod, err := s.Add(t.Pod)
	return pod, replicas, err
}

// rules are those that the flag says, which has been validated, else those of the
// cluster.
func (o *source) rules(version string) (preemption.Release, string) {
	if o.version != "" {
		r, _ := preemption.ParseRelease(o.version)
		return r, ""
	}
	return situation.Rules(version)
}
