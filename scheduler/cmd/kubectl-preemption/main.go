// Kubectl-preemption is a kubectl plugin that tells what preemption would do.
package main

import (
	"context"
	"os"
	"os/signal"

	"github.com/go-logr/logr"
	"k8s.io/cli-runtime/pkg/genericiooptions"
	_ "k8s.io/client-go/plugin/pkg/client/auth" // for clusters of cloud providers
	"k8s.io/klog/v2"

	"example.com/preemption/scheduler/internal/command"
)

func main() {
	klog.SetLogger(logr.Discard()) // what libraries log is not meant for users
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	code := command.Run(ctx, os.Args[1:], genericiooptions.IOStreams{In: os.Stdin, Out: os.Stdout, ErrOut: os.Stderr})
	stop()
	os.Exit(code)
}
