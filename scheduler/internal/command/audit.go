package command

import (
	"context"
	"errors"

	"github.com/spf13/cobra"
	"k8s.io/cli-runtime/pkg/genericiooptions"

	"example.com/preemption/scheduler/explanation"
	"example.com/preemption/scheduler/internal/audit"
	"example.com/preemption/scheduler/internal/situation"
)

const auditHelp = `Look for what makes preemption hurt more than it has to, or not do what was meant:
in PriorityClasses, disruption budgets and pods. Each finding says why it matters
and how to mend it; docs/kubectl.md has a paragraph about each kind.

Exit codes: 0 if there is nothing to mend, 1 if there is, 2 on errors.`

func newAudit(streams genericiooptions.IOStreams) *cobra.Command {
	o := newSource(streams)
	cmd := &cobra.Command{
		Use:   "audit",
		Short: "Find priorities, budgets and pods that do not do what was meant",
		Long:  auditHelp,
		Example: `  # The whole cluster, with the objects of each finding
  kubectl preemption audit -o wide

  # For CI: a team's manifests and classes
  kubectl preemption audit -f dump.json -n team-a -o json`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			defer o.progress.done()
			return runAudit(cmd.Context(), o)
		},
	}
	o.addFlags(cmd, true, "wide, json, yaml, jsonpath=..., go-template=... and the others of kubectl")
	return cmd
}

func runAudit(ctx context.Context, o *source) error {
	if err := o.validate(); err != nil {
		return err
	}
	out, err := o.output()
	if err != nil {
		return err
	}
	if out.format == "name" {
		return errors.New("--output: name: findings have no names; -o jsonpath='{.findings[*].objects}' lists the objects")
	}
	c, notes, _, err := o.contents(ctx)
	if err != nil {
		return err
	}
	if len(c.Cluster.Pods)+len(c.Cluster.PriorityClasses)+len(c.Cluster.PodDisruptionBudgets) == 0 {
		return errors.New("the input has no pods, PriorityClasses or PodDisruptionBudgets: there is nothing to look at")
	}
	a := audit.Run(c, situation.Now(c), o.wanted)
	a.Warnings = append(notes, a.Warnings...)
	o.progress.done()
	if out.structured() {
		err = out.object(a)
	} else {
		err = o.text(nil).Audit(a)
	}
	if err != nil {
		return err
	}
	for _, f := range a.Findings {
		if f.Severity == explanation.SeverityWarning {
			return errNo
		}
	}
	return nil
}
