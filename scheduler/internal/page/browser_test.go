package page

import (
	"context"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// browser is a Chromium, "" if there is none: .ci/chromium installs one.
func browser() string {
	for _, name := range []string{"chromium", "chromium-browser", "google-chrome"} {
		if path, err := exec.LookPath(name); err == nil {
			return path
		}
	}
	return ""
}

// open opens a file in the browser and returns what it prints and what it logs.
func open(t *testing.T, file string, args ...string) (stdout, log string) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 2*time.Minute)
	defer cancel()
	args = append([]string{
		"--headless", "--no-sandbox", "--disable-gpu", "--disable-background-networking", "--no-first-run",
		"--user-data-dir=" + t.TempDir(), "--enable-logging=stderr", "--v=0", "--virtual-time-budget=2000",
	}, append(args, file)...)
	cmd := exec.CommandContext(ctx, browser(), args...)
	var out, errOut strings.Builder
	cmd.Stdout, cmd.Stderr = &out, &errOut
	if err := cmd.Run(); err != nil {
		t.Fatalf("%v: %s", err, errOut.String())
	}
	return out.String(), errOut.String()
}

// pages are those of the reviewed output of the command.
const pages = "../command/testdata"

// A real browser opens the pages: it reports no error, asks nobody for anything,
// and shows what it should. PAGE_SCREENSHOTS names a folder for screenshots of a
// phone and of a desk, to be looked at.
func TestBrowser(t *testing.T) {
	if browser() == "" {
		t.Skip("there is no Chromium: .ci/chromium installs it")
	}
	for name, texts := range map[string][]string{
		"example.html": {
			"preemption clears node node-c: 2 victims", "kube-system/logs-node-c", "fewest budget violations", "(decides)",
			"node-c (chosen)", "taint gpu=only:NoSchedule", "can-evict logs-node-c",
		},
		"state-stuck.html":   {"Preemption is under way on node n2", "overdue 3h", "example.com/backup"},
		"state-no-help.html": {"preemption does not help", "What to try", "add a node of another kind"},
	} {
		t.Run(name, func(t *testing.T) {
			file, err := filepath.Abs(filepath.Join(pages, name))
			if err != nil {
				t.Fatal(err)
			}
			dom, log := open(t, "file://"+file, "--dump-dom")
			for _, want := range texts {
				if !strings.Contains(dom, want) {
					t.Errorf("%q is not shown", want)
				}
			}
			if strings.Contains(log, "CONSOLE") {
				t.Errorf("the console says:\n%s", log)
			}
			asksNobody(t, file)
			if dir := os.Getenv("PAGE_SCREENSHOTS"); dir != "" {
				for _, size := range []string{"400,2400", "1280,1600"} {
					width, _, _ := strings.Cut(size, ",")
					shot := filepath.Join(dir, strings.TrimSuffix(name, ".html")+"-"+width+".png")
					open(t, "file://"+file, "--screenshot="+shot, "--window-size="+size, "--hide-scrollbars")
				}
			}
		})
	}
}

// asksNobody serves the page and counts what the browser asks for.
func asksNobody(t *testing.T, file string) {
	t.Helper()
	data, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	var asked []string
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		asked = append(asked, r.URL.Path)
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		_, _ = w.Write(data)
	}))
	defer server.Close()
	open(t, server.URL+"/page", "--dump-dom")
	if len(asked) != 1 || asked[0] != "/page" {
		t.Errorf("it asks for %v", asked)
	}
	// Addresses of anybody else would be in the page, and there are none.
	for _, sign := range []string{"http://", "https://", "<script", "@import", "url(//"} {
		if strings.Contains(string(data), sign) {
			t.Errorf("the page has %q", sign)
		}
	}
}

// Every picture has a text, and the page says its language, for readers who do not
// see it.
func TestAccessible(t *testing.T) {
	for _, name := range []string{"example.html", "state-stuck.html", "state-no-help.html"} {
		data, err := os.ReadFile(filepath.Join(pages, name))
		if err != nil {
			t.Fatal(err)
		}
		html := string(data)
		for _, part := range strings.Split(html, "<svg")[1:] {
			tag, _, _ := strings.Cut(part, ">")
			if !strings.Contains(tag, `aria-label="`) && !strings.Contains(tag, `aria-hidden="true"`) {
				t.Errorf("%s: a picture without a text: <svg%s>", name, tag)
			}
		}
		for _, want := range []string{`<html lang="en">`, `<meta name="viewport"`, "<title>", "<main>", "@media print", "prefers-color-scheme: dark"} {
			if !strings.Contains(html, want) {
				t.Errorf("%s: no %s", name, want)
			}
		}
		if strings.Count(html, "<th ") != strings.Count(html, `<th scope="col">`) {
			t.Errorf("%s: a header of a table without its scope", name)
		}
	}
}
