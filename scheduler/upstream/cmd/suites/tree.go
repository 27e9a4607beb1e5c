package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

const kubernetes = "k8s.io/kubernetes"

// A tree is kube-scheduler's source with the library in it, ready to be built.
//
// Go takes no overlay over files of the module cache, so the source is reached by
// a link to it elsewhere. The link stays where it is from run to run, so that what
// was compiled below it is found again.
type tree struct {
	module  string // this module's folder
	source  string // Kubernetes', by the link
	work    string // a folder for this run
	modfile string
	overlay string
	bin     string // for binaries, below work
}

// newTree prepares the tree in a work folder.
func newTree(ctx context.Context, work string) (*tree, error) {
	module, err := os.Getwd()
	if err != nil {
		return nil, err
	}
	t := &tree{module: module, work: work, modfile: filepath.Join(work, "go.mod"), bin: filepath.Join(work, "bin")}
	if err := os.MkdirAll(t.bin, 0o777); err != nil {
		return nil, err
	}
	if _, err := t.output(ctx, t.module, "go", "mod", "download", kubernetes); err != nil {
		return nil, err
	}
	found, err := t.output(ctx, t.module, "go", "list", "-m", "-f", "{{.Version}} {{.Dir}}", kubernetes)
	if err != nil {
		return nil, err
	}
	version, dir, ok := strings.Cut(strings.TrimSpace(found), " ")
	if !ok {
		return nil, fmt.Errorf("module %s has no folder: %q", kubernetes, found)
	}
	if t.source, err = link(version, dir); err != nil {
		return nil, err
	}
	if err := t.writeModfile(ctx); err != nil {
		return nil, err
	}
	t.overlay, err = writeOverlay(t.source, work)
	return t, err
}

// link returns a link to the folder outside the module cache.
func link(version, dir string) (string, error) {
	cache, err := os.UserCacheDir()
	if err != nil {
		return "", err
	}
	at := filepath.Join(cache, "preemption-upstream", "kubernetes-"+version)
	if to, err := os.Readlink(at); err == nil && to == dir {
		return at, nil
	} else if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return "", err
	}
	if err := os.MkdirAll(filepath.Dir(at), 0o777); err != nil {
		return "", err
	}
	if err := os.Remove(at); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return "", err
	}
	return at, os.Symlink(dir, at)
}

// writeModfile writes this module's go.mod with Kubernetes found by the link, and
// with the replaced modules found from anywhere.
func (t *tree) writeModfile(ctx context.Context) error {
	for _, name := range []string{"go.mod", "go.sum"} {
		data, err := os.ReadFile(filepath.Join(t.module, name))
		if err != nil {
			return err
		}
		if err := os.WriteFile(filepath.Join(t.work, name), data, 0o666); err != nil {
			return err
		}
	}
	_, err := t.output(ctx, t.module, "go", "mod", "edit",
		"-replace="+kubernetes+"="+t.source,
		"-replace=example.com/preemption="+filepath.Join(t.module, "../.."),
		"-replace=example.com/preemption/kube="+filepath.Join(t.module, "../../kube"),
		"-replace=example.com/preemption/scheduler="+filepath.Join(t.module, ".."),
		t.modfile)
	return err
}

// build builds a command and returns its binary.
func (t *tree) build(ctx context.Context, name, pkg string) (string, error) {
	return t.compile(ctx, name, "build", pkg)
}

// buildTest builds the tests of a package.
func (t *tree) buildTest(ctx context.Context, name, pkg string, more ...string) (string, error) {
	return t.compile(ctx, name+".test", append(append([]string{"test", "-c"}, more...), pkg)...)
}

func (t *tree) compile(ctx context.Context, name string, args ...string) (string, error) {
	to := filepath.Join(t.bin, name)
	pkg := args[len(args)-1]
	all := append(args[:len(args)-1:len(args)-1], "-buildvcs=false", "-mod=mod", "-modfile="+t.modfile, "-overlay="+t.overlay, "-o", to, pkg)
	progress("building %s", name)
	_, err := t.output(ctx, t.module, "go", all...)
	return to, err
}

// output runs a command in a folder.
func (t *tree) output(ctx context.Context, dir, name string, args ...string) (string, error) {
	c := exec.CommandContext(ctx, name, args...)
	c.Dir = dir
	c.Env = append(os.Environ(), "GOWORK=off")
	var stderr strings.Builder
	c.Stderr = &stderr
	out, err := c.Output()
	if err != nil {
		return "", fmt.Errorf("%s %s: %w\n%s", name, strings.Join(args, " "), err, stderr.String())
	}
	return string(out), nil
}
