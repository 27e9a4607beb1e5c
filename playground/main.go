// Playground serves a page on which preemption can be played with: a few nodes,
// their pods and budgets, a pending pod, and the library's decision step by step,
// in the browser. The library runs in the page as WebAssembly.
//
//	go run ./playground                      serve it on 127.0.0.1:8372
//	go run ./playground -listen 127.0.0.1:0  on a port that is free
//	go run ./playground -out DIR             write it as plain files to publish
//
// It builds the WebAssembly with the Go command, so it has to run inside the
// repository.
package main

import (
	"context"
	"embed"
	"errors"
	"flag"
	"fmt"
	"io"
	"io/fs"
	"net"
	"net/http"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"runtime"
	"strings"
)

//go:embed web
var web embed.FS

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	os.Exit(run(ctx, os.Args[1:], os.Stdout, os.Stderr))
}

// run returns the exit code: 0, 1 if something failed, 2 for wrong arguments.
func run(ctx context.Context, args []string, stdout, stderr io.Writer) int {
	flags := flag.NewFlagSet("playground", flag.ContinueOnError)
	flags.SetOutput(stderr)
	listen := flags.String("listen", "127.0.0.1:8372", "`address` to serve on")
	out := flags.String("out", "", "write the files to this `folder` instead of serving them")
	switch err := flags.Parse(args); {
	case errors.Is(err, flag.ErrHelp):
		return 0
	case err != nil:
		return 2
	case flags.NArg() > 0:
		fmt.Fprintf(stderr, "playground: %q is no argument of it: it takes flags alone (-h lists them)\n", flags.Arg(0))
		return 2
	}
	if err := play(ctx, *listen, *out, stdout); err != nil {
		fmt.Fprintln(stderr, "playground:", err)
		return 1
	}
	return 0
}

func play(ctx context.Context, listen, out string, stdout io.Writer) error {
	if out != "" {
		if err := write(ctx, out, stdout); err != nil {
			return err
		}
		fmt.Fprintf(stdout, "written to %s\n", out)
		return nil
	}
	folder, err := os.MkdirTemp("", "playground")
	if err != nil {
		return err
	}
	defer os.RemoveAll(folder)
	if err := write(ctx, folder, stdout); err != nil {
		return err
	}
	listener, err := net.Listen("tcp", listen)
	if err != nil {
		return err
	}
	fmt.Fprintf(stdout, "http://%s/ (stop with Ctrl-C)\n", listener.Addr())
	server := &http.Server{Handler: http.FileServer(http.Dir(folder))}
	go func() {
		<-ctx.Done()
		server.Close()
	}()
	if err := server.Serve(listener); !errors.Is(err, http.ErrServerClosed) {
		return err
	}
	return nil
}

// write puts the page's own files, the WebAssembly and Go's loader for it into the
// folder.
func write(ctx context.Context, folder string, stdout io.Writer) error {
	pages, err := fs.Sub(web, "web")
	if err != nil {
		return err
	}
	if err := os.MkdirAll(folder, 0o777); err != nil {
		return err
	}
	err = fs.WalkDir(pages, ".", func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		text, err := fs.ReadFile(pages, name)
		if err != nil {
			return err
		}
		return os.WriteFile(filepath.Join(folder, name), text, 0o666)
	})
	if err != nil {
		return err
	}

	loader, err := loader(ctx)
	if err != nil {
		return err
	}
	if err := os.WriteFile(filepath.Join(folder, "wasm_exec.js"), loader, 0o666); err != nil {
		return err
	}
	target := filepath.Join(folder, "preemption.wasm")
	fmt.Fprintln(stdout, "building preemption.wasm …")
	build := exec.CommandContext(ctx, "go", "build", "-trimpath", "-ldflags=-s -w", "-o", target, "example.com/preemption/playground/wasm")
	build.Env = append(os.Environ(), "GOOS=js", "GOARCH=wasm", "CGO_ENABLED=0")
	if text, err := build.CombinedOutput(); err != nil {
		return fmt.Errorf("go build of the WebAssembly, which has to run inside the repository: %w\n%s", err, text)
	}
	info, err := os.Stat(target)
	if err != nil {
		return err
	}
	fmt.Fprintf(stdout, "preemption.wasm is %.1f MB\n", float64(info.Size())/1e6)
	return nil
}

// loader reads wasm_exec.js, which has to be that of the Go that builds.
func loader(ctx context.Context) ([]byte, error) {
	root, err := exec.CommandContext(ctx, "go", "env", "GOROOT").Output()
	if err != nil {
		return nil, fmt.Errorf("go env GOROOT: %w", err)
	}
	var errs []error
	for _, folder := range []string{"lib/wasm", "misc/wasm"} { // the latter up to Go 1.23
		text, err := os.ReadFile(filepath.Join(strings.TrimSpace(string(root)), filepath.FromSlash(folder), "wasm_exec.js"))
		if err == nil {
			return text, nil
		}
		errs = append(errs, err)
	}
	return nil, fmt.Errorf("wasm_exec.js of %s: %w", runtime.Version(), errors.Join(errs...))
}
