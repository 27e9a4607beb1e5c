// Package browser tests the playground's page in headless Chromium, which has to be
// on the PATH or named by the environment variable CHROMIUM.
package browser

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"example.com/preemption/playground/internal/situation"
	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/chromedp"
	"pgregory.net/rapid"
)

// page is the address of the page, served from its plain files.
var page string

// size is that of the WebAssembly.
var size int64

func TestMain(m *testing.M) {
	os.Exit(func() int {
		folder, err := os.MkdirTemp("", "playground")
		if err != nil {
			fmt.Fprintln(os.Stderr, err)
			return 1
		}
		defer os.RemoveAll(folder)
		build := exec.Command("go", "run", "./playground", "-out", folder)
		build.Dir = filepath.Join("..", "..")
		if text, err := build.CombinedOutput(); err != nil {
			fmt.Fprintf(os.Stderr, "go run ./playground: %v\n%s", err, text)
			return 1
		}
		info, err := os.Stat(filepath.Join(folder, "preemption.wasm"))
		if err != nil {
			fmt.Fprintln(os.Stderr, err)
			return 1
		}
		size = info.Size()
		server := httptest.NewServer(http.FileServer(http.Dir(folder)))
		defer server.Close()
		page = server.URL + "/"
		return m.Run()
	}())
}

// A tab is an open page, and what it has complained of.
type tab struct {
	ctx        context.Context
	mu         sync.Mutex
	complaints []string
	requests   []string
}

// open starts a browser and loads the page, with a fragment of its address.
func open(t *testing.T, fragment string) *tab {
	t.Helper()
	options := append(chromedp.DefaultExecAllocatorOptions[:],
		chromedp.NoSandbox, chromedp.DisableGPU,
		chromedp.Flag("disable-background-networking", true), chromedp.Flag("disable-component-update", true),
		chromedp.Flag("disable-sync", true), chromedp.Flag("disable-quic", true), chromedp.NoFirstRun,
		chromedp.WSURLReadTimeout(90*time.Second),
	)
	if path := os.Getenv("CHROMIUM"); path != "" {
		options = append(options, chromedp.ExecPath(path))
	} else if path, err := exec.LookPath("chromium"); err == nil {
		options = append(options, chromedp.ExecPath(path))
	} else {
		t.Fatal("there is no chromium on the PATH: install Debian's package chromium, or set CHROMIUM")
	}
	allocator, cancel := chromedp.NewExecAllocator(context.Background(), options...)
	t.Cleanup(cancel)
	ctx, cancel := chromedp.NewContext(allocator)
	t.Cleanup(cancel)
	ctx, cancel = context.WithTimeout(ctx, 3*time.Minute)
	t.Cleanup(cancel)
	b := &tab{ctx: ctx}
	chromedp.ListenTarget(ctx, b.listen)
	b.do(t, network.Enable(), chromedp.Navigate(page+fragment))
	b.wait(t)
	t.Cleanup(func() { b.check(t) })
	return b
}

func (b *tab) listen(event any) {
	b.mu.Lock()
	defer b.mu.Unlock()
	switch e := event.(type) {
	case *runtime.EventConsoleAPICalled:
		b.complaints = append(b.complaints, fmt.Sprintf("console.%s", e.Type))
	case *runtime.EventExceptionThrown:
		b.complaints = append(b.complaints, e.ExceptionDetails.Error())
	case *network.EventRequestWillBeSent:
		b.requests = append(b.requests, e.Request.URL)
	case *network.EventLoadingFailed:
		b.complaints = append(b.complaints, "failed to load: "+e.ErrorText)
	}
}

// wait waits until the library is there.
func (b *tab) wait(t *testing.T) {
	t.Helper()
	b.do(t, chromedp.WaitReady("html[data-ready]", chromedp.ByQuery))
}

func (b *tab) do(t *testing.T, actions ...chromedp.Action) {
	t.Helper()
	if err := chromedp.Run(b.ctx, actions...); err != nil {
		t.Fatal(err)
	}
}

// eval runs JavaScript and returns its value.
func (b *tab) eval(t *testing.T, script string, into any) {
	t.Helper()
	b.do(t, chromedp.Evaluate(script, into))
}

func (b *tab) text(t *testing.T, id string) (text string) {
	t.Helper()
	b.eval(t, fmt.Sprintf("document.getElementById(%q).textContent", id), &text)
	return text
}

// check wants no complaint, and no request beyond the page's own files.
func (b *tab) check(t *testing.T) {
	b.mu.Lock()
	defer b.mu.Unlock()
	for _, c := range b.complaints {
		t.Errorf("the page complains: %s", c)
	}
	for _, r := range b.requests {
		if !strings.HasPrefix(r, page) && !strings.HasPrefix(r, "data:") {
			t.Errorf("the page asks for %s", r)
		}
	}
}

func decide(t *testing.T, s *situation.Situation) *situation.Answer {
	t.Helper()
	answer, err := s.Decide(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	return answer
}

// show makes the page show a situation through its address.
func (b *tab) show(t *testing.T, s *situation.Situation) {
	t.Helper()
	link, err := s.Link()
	if err != nil {
		t.Fatal(err)
	}
	b.eval(t, fmt.Sprintf("load(ask('open', %q)); true", link), nil)
}

// Every preset gives the answer of the library run natively, at every step.
func TestPresets(t *testing.T) {
	b := open(t, "")
	for i, s := range situation.Presets() {
		want := decide(t, &s)
		b.eval(t, fmt.Sprintf("$('preset').value = '%d'; $('preset').dispatchEvent(new Event('change')); true", i), nil)
		if got := b.text(t, "headline"); got != want.Headline {
			t.Errorf("%s: headline %q, want %q", s.Title, got, want.Headline)
		}
		var shown string
		b.eval(t, "JSON.stringify(answer)", &shown)
		var got situation.Answer
		if err := json.Unmarshal([]byte(shown), &got); err != nil {
			t.Fatal(err)
		}
		again, err := json.Marshal(&got)
		if err != nil {
			t.Fatal(err)
		}
		if native, err := json.Marshal(want); err != nil || string(again) != string(native) {
			t.Errorf("%s: the page answers\n%s\nnatively it is\n%s (%v)", s.Title, again, native, err)
		}
	}
}

// Walking shows each step's text, and the pods that are away in it.
func TestWalk(t *testing.T) {
	b := open(t, "")
	s := situation.Presets()[1]
	want := decide(t, &s)
	b.show(t, &s)
	b.do(t, chromedp.Click("#first", chromedp.ByQuery))
	for i, step := range want.Steps {
		if got := b.text(t, "step"); got != step.Text {
			t.Fatalf("step %d: %q, want %q", i, got, step.Text)
		}
		if step.Kind != "choose" {
			var away int
			b.eval(t, "document.querySelectorAll('.pod.gone').length", &away)
			if away != len(step.Gone) {
				t.Errorf("step %d: %d pods are drawn as away, want %d", i, away, len(step.Gone))
			}
		}
		b.do(t, chromedp.Click("#next", chromedp.ByQuery))
	}
	b.do(t, chromedp.Click("#back", chromedp.ByQuery))
	if got := b.text(t, "step"); len(want.Steps) > 1 && got != want.Steps[len(want.Steps)-2].Text {
		t.Errorf("back: %q", got)
	}
}

// Editing by keyboard alone: a pod is chosen, changed, moved and removed.
func TestEdit(t *testing.T) {
	b := open(t, "")
	s := situation.Presets()[0]
	b.show(t, &s)
	b.do(t,
		chromedp.Focus(`[data-pod="batch-1"]`, chromedp.ByQuery),
		chromedp.KeyEvent("\r"),
		chromedp.WaitVisible("#editor form", chromedp.ByQuery),
	)
	var focused string
	b.eval(t, "document.activeElement.dataset.field || ''", &focused)
	if focused != "priority" {
		t.Errorf("after a pod is chosen the field %q has the focus, want priority", focused)
	}
	b.eval(t, `{ const f = document.activeElement; f.value = "7"; f.dispatchEvent(new Event("change")); } true`, nil)
	b.eval(t, `{ const m = $("move"); m.value = "node-2"; m.dispatchEvent(new Event("change")); } true`, nil)
	var pod situation.Pod
	b.eval(t, "find('batch-1')", &pod)
	if pod.Priority != 7 || pod.Node != "node-2" {
		t.Errorf("the pod is now %+v", pod)
	}
	b.do(t, chromedp.Focus("#remove", chromedp.ByQuery), chromedp.KeyEvent("\r"))
	var left bool
	b.eval(t, "Boolean(find('batch-1'))", &left)
	if left {
		t.Error("the pod is still there")
	}
	b.do(t, chromedp.Click(`[data-node="node-3"] .actions button:nth-child(2)`, chromedp.ByQuery))
	var cordoned bool
	b.eval(t, "situation.nodes[2].cordoned", &cordoned)
	if !cordoned {
		t.Error("the node is not cordoned")
	}
}

// The address holds the situation: what it opens is what was shown.
func TestAddress(t *testing.T) {
	b := open(t, "")
	rapid.Check(t, func(r *rapid.T) {
		s := situation.Presets()[rapid.IntRange(0, len(situation.Presets())-1).Draw(r, "preset")]
		s.Release = rapid.SampledFrom([]string{"1.36", "1.37", "1.38"}).Draw(r, "release")
		for i := range s.Pods {
			if rapid.Bool().Draw(r, "changed") {
				s.Pods[i].Priority = rapid.Int32Range(0, 2000).Draw(r, "priority")
				s.Pods[i].CPU = rapid.Int64Range(1, 2000).Draw(r, "cpu")
			}
		}
		b.show(t, &s)
		var address string
		b.eval(t, "keep(); location.hash", &address)
		got, err := situation.ParseLink(strings.TrimPrefix(address, "#"))
		if err != nil {
			r.Fatal(err)
		}
		want, err := s.Link()
		if err != nil {
			r.Fatal(err)
		}
		if again, err := got.Link(); err != nil || again != want {
			r.Fatalf("the address holds %+v, want %+v (%v)", got, s, err)
		}
	})

	// Loaded afresh it is the same.
	s := situation.Presets()[5]
	link, err := s.Link()
	if err != nil {
		t.Fatal(err)
	}
	fresh := open(t, "#"+link)
	if got, want := fresh.text(t, "headline"), decide(t, &s).Headline; got != want {
		t.Errorf("opened by its address: %q, want %q", got, want)
	}
}

func TestExportAndImport(t *testing.T) {
	b := open(t, "")
	s := situation.Presets()[2]
	b.show(t, &s)
	program, err := s.Program()
	if err != nil {
		t.Fatal(err)
	}
	yaml, err := s.YAML()
	if err != nil {
		t.Fatal(err)
	}
	for kind, want := range map[string]string{"scenario": s.Scenario(), "program": program, "yaml": yaml} {
		b.do(t, chromedp.Click(`[data-export="`+kind+`"]`, chromedp.ByQuery))
		var got string
		b.eval(t, "$('exported').value", &got)
		if got != want {
			t.Errorf("%s: %q, want %q", kind, got, want)
		}
	}
	const dump = `{"kind":"List","items":[
		{"kind":"Node","metadata":{"name":"worker"},"status":{"allocatable":{"cpu":"2","memory":"4Gi","pods":"110","example.com/fpga":"1"}}},
		{"kind":"Pod","metadata":{"name":"low","namespace":"shop"},"spec":{"nodeName":"worker","priority":5,"containers":[{"name":"c","resources":{"requests":{"cpu":"1500m"}}}]},"status":{"phase":"Running"}},
		{"kind":"Pod","metadata":{"name":"high","namespace":"shop"},"spec":{"priority":50,"containers":[{"name":"c","resources":{"requests":{"cpu":"1"}}}]},"status":{"phase":"Pending"}}]}`
	b.eval(t, fmt.Sprintf("$('imported').value = %q; $('import').click(); true", dump), nil)
	if got := b.text(t, "headline"); !strings.Contains(got, "high gets worker") || !strings.Contains(got, "low") {
		t.Errorf("imported: %q", got)
	}
	if got := b.text(t, "notes"); !strings.Contains(got, "example.com/fpga") {
		t.Errorf("notes: %q, want the resource that is left out", got)
	}
	b.eval(t, "$('imported').value = 'kind: List'; $('import').click(); true", nil)
	if got := b.text(t, "error"); !strings.Contains(got, "JSON") {
		t.Errorf("YAML pasted in: %q, want an error that says what to paste", got)
	}
}

// What happens next can be played, and ends as the simulation does.
func TestPlay(t *testing.T) {
	b := open(t, "")
	s := situation.Presets()[9]
	want, err := s.Play(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	b.show(t, &s)
	b.eval(t, "$('play-part').open = true", nil)
	b.do(t, chromedp.Poll("play !== null", nil))
	b.eval(t, fmt.Sprintf("showFrame(%d); true", len(want.Frames)-1), nil)
	if got := b.text(t, "ending"); got != want.Ending {
		t.Errorf("the ending is %q, want %q", got, want.Ending)
	}
	var on string
	b.eval(t, `document.querySelector('[data-pod="mid~2"]').closest("[data-node]").dataset.node`, &on)
	if on != "node-2" {
		t.Errorf("mid~2 is drawn on %q at the end, want node-2", on)
	}
}

// It is there in two seconds, and answers an edit of 50 nodes with 50 pods each in
// a tenth of one.
func TestSpeed(t *testing.T) {
	b := open(t, "")
	var ready float64
	b.eval(t, "Number(document.documentElement.dataset.ready)", &ready)

	s := situation.Situation{Release: "1.38"}
	for i := range 50 {
		node := fmt.Sprintf("node-%d", i)
		s.Nodes = append(s.Nodes, situation.Node{Name: node, CPU: 50_000})
		for j := range 49 {
			s.Pods = append(s.Pods, situation.Pod{
				Name: fmt.Sprintf("pod-%d-%d", i, j), Node: node, Priority: int32(j % 6 * 100), CPU: int64(900 + (i*7+j*13)%200), Start: int64(1 + i*50 + j),
			})
		}
	}
	s.Pending = []situation.Pod{{Name: "web", Priority: 1000, CPU: 10_000}}
	b.show(t, &s)
	var took []float64
	for range 5 {
		var ms string
		b.eval(t, "change((s) => { s.pending[0].cpu += 1; }); document.documentElement.dataset.took", &ms)
		v, err := strconv.ParseFloat(ms, 64)
		if err != nil {
			t.Fatal(err)
		}
		took = append(took, v)
	}
	best := took[0]
	for _, v := range took {
		best = min(best, v)
	}
	t.Logf("playground: ready after %.0f ms, an edit of 50 nodes x 50 pods is answered in %.0f ms, preemption.wasm is %.1f MB", ready, best, float64(size)/1e6)
	// On a machine that is busy with other tests a time limit proves little; the
	// figures are printed, and these limits only catch what is far off.
	if ready > 60_000 || best > 10_000 {
		t.Errorf("ready after %.0f ms, an edit after %.0f ms", ready, best)
	}
}

// The page works at 360 pixels: nothing is wider than the screen. With SCREENSHOTS
// set to a folder, pictures are written there.
func TestWidths(t *testing.T) {
	b := open(t, "")
	s := situation.Presets()[2]
	b.show(t, &s)
	for _, scheme := range []string{"light", "dark"} {
		for _, width := range []int64{360, 800, 1280} {
			b.do(t,
				emulation.SetEmulatedMedia().WithFeatures([]*emulation.MediaFeature{{Name: "prefers-color-scheme", Value: scheme}}),
				chromedp.EmulateViewport(width, 900),
			)
			var wide int64
			b.eval(t, "document.documentElement.scrollWidth", &wide)
			if wide > width {
				t.Errorf("%d pixels, %s: the page is %d wide", width, scheme, wide)
			}
			if folder := os.Getenv("SCREENSHOTS"); folder != "" {
				var picture []byte
				b.do(t, chromedp.FullScreenshot(&picture, 100))
				name := fmt.Sprintf("playground-%d-%s.png", width, scheme)
				if err := os.WriteFile(filepath.Join(folder, name), picture, 0o666); err != nil {
					t.Fatal(err)
				}
			}
		}
	}
}

// Every control has a name that a screen reader can say.
func TestNames(t *testing.T) {
	b := open(t, "")
	var nodes []*cdp.Node
	b.do(t, chromedp.Nodes("button, select, input, textarea", &nodes, chromedp.ByQueryAll))
	if len(nodes) < 20 {
		t.Fatalf("%d controls found", len(nodes))
	}
	var unnamed []string
	b.eval(t, `[...document.querySelectorAll("button, select, input, textarea")]
		.filter((e) => !(e.getAttribute("aria-label") || e.textContent.trim() || (e.labels && e.labels.length && e.labels[0].textContent.trim())))
		.map((e) => e.outerHTML.slice(0, 100))`, &unnamed)
	for _, html := range unnamed {
		t.Errorf("without a name: %s", html)
	}
}
