package command

import (
	"context"
	"fmt"
	"time"

	"k8s.io/client-go/kubernetes"

	"example.com/preemption"
	"example.com/preemption/scheduler/internal/dump"
	"example.com/preemption/scheduler/internal/example"
	"example.com/preemption/scheduler/internal/live"
	"example.com/preemption/scheduler/internal/situation"
)

// situation reads the cluster from where the flags say.
func (o *explainOptions) situation(ctx context.Context) (*situation.Situation, error) {
	if len(o.files) == 0 && !o.example {
		return o.fetch(ctx)
	}
	var c dump.Contents
	o.progress.say("reading")
	if o.example {
		if err := example.Read(&c); err != nil {
			return nil, err
		}
	} else if err := c.Files(o.files, o.recursive, o.In); err != nil {
		return nil, err
	}
	release := preemption.Release137
	if o.version != "" {
		release = o.release()
	}
	return situation.New(&c, release, time.Time{})
}

// release is what the flag says; it has been validated.
func (o *explainOptions) release() preemption.Release {
	r, _ := preemption.ParseRelease(o.version)
	return r
}

func (o *explainOptions) fetch(ctx context.Context) (*situation.Situation, error) {
	config, err := o.config.ToRESTConfig()
	if err != nil {
		return nil, err
	}
	client, err := kubernetes.NewForConfig(config)
	if err != nil {
		return nil, err
	}
	o.progress.say("reading the cluster")
	c, notes, err := live.Fetch(ctx, client)
	if err != nil {
		return nil, err
	}
	release, note := o.clusterRelease(client)
	if note != "" {
		notes = append(notes, note)
	}
	s, err := situation.New(c, release, time.Now())
	if err != nil {
		return nil, err
	}
	s.Notes = append(notes, s.Notes...)
	return s, nil
}

// clusterRelease returns the rules of the cluster's version, if they are known.
func (o *explainOptions) clusterRelease(client kubernetes.Interface) (preemption.Release, string) {
	if o.version != "" {
		return o.release(), ""
	}
	v, err := client.Discovery().ServerVersion()
	if err != nil {
		return preemption.Release137, fmt.Sprintf("the cluster's version is unknown (%v): the rules are those of 1.37", err)
	}
	r, err := preemption.ParseRelease(v.GitVersion)
	if err != nil {
		return preemption.Release137, fmt.Sprintf("the cluster is of version %s: the rules are those of 1.37", v.GitVersion)
	}
	return r, ""
}
