package command

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"k8s.io/cli-runtime/pkg/genericiooptions"

	"example.com/preemption/scheduler/explanation"
)

// paths are where the API server has the objects of a kind.
var paths = map[string]string{
	"Node": "/api/v1/nodes", "Pod": "/api/v1/pods", "Namespace": "/api/v1/namespaces", "LimitRange": "/api/v1/limitranges", "Event": "/api/v1/events",
	"PersistentVolume": "/api/v1/persistentvolumes", "PersistentVolumeClaim": "/api/v1/persistentvolumeclaims",
	"PodDisruptionBudget": "/apis/policy/v1/poddisruptionbudgets", "PriorityClass": "/apis/scheduling.k8s.io/v1/priorityclasses",
	"PodGroup": "/apis/scheduling.k8s.io/v1beta1/podgroups", "RuntimeClass": "/apis/node.k8s.io/v1/runtimeclasses",
	"StorageClass": "/apis/storage.k8s.io/v1/storageclasses", "CSINode": "/apis/storage.k8s.io/v1/csinodes",
	"CSIDriver": "/apis/storage.k8s.io/v1/csidrivers", "VolumeAttachment": "/apis/storage.k8s.io/v1/volumeattachments",
}

// served is an API server with the objects of a dump, in pages of five.
func served(t *testing.T, version string, dump []byte) string {
	t.Helper()
	const page = 5
	lists, kinds := map[string][]map[string]any{}, map[string]string{}
	for kind, at := range paths {
		lists[at], kinds[at] = nil, kind+"List"
	}
	for _, x := range objectsOf(t, dump) {
		if at := paths[x["kind"].(string)]; at != "" {
			lists[at] = append(lists[at], x)
		}
	}
	api := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		list, known := lists[r.URL.Path]
		switch {
		case r.Method != http.MethodGet:
			t.Errorf("%s %s", r.Method, r.URL)
		case r.URL.Path == "/version":
			fmt.Fprintf(w, `{"gitVersion":%q}`, version)
			return
		case !known:
			a := refused(http.StatusNotFound, "NotFound", "the server could not find the requested resource")
			w.WriteHeader(a.code)
			fmt.Fprint(w, a.body)
			return
		}
		from, _ := strconv.Atoi(r.URL.Query().Get("continue"))
		to, meta := len(list), map[string]any{"resourceVersion": "1"}
		if from+page < to {
			to = from + page
			meta["continue"] = strconv.Itoa(to)
		}
		_ = json.NewEncoder(w).Encode(map[string]any{
			"apiVersion": strings.TrimPrefix(strings.TrimPrefix(path.Dir(r.URL.Path), "/apis/"), "/api/"), "kind": kinds[r.URL.Path],
			"metadata": meta, "items": append([]map[string]any{}, list[from:to]...),
		})
	}))
	t.Cleanup(api.Close)
	return api.URL
}

// A live cluster gives the answers that its dump gives.
func TestLiveAsDump(t *testing.T) {
	t.Setenv("KUBECONFIG", "/nonexistent")
	for _, k := range kindsOfClusters {
		t.Run(k.name, func(t *testing.T) {
			input := k.read(t)
			_, e := explained(t, string(input), k.pod, "-n", k.namespace)
			code, stdout, stderr := run(nil, "explain", k.pod, "-n", k.namespace, "-o", "json", "--server", served(t, "v"+k.version+".0", input))
			var live explanation.Explanation
			if err := json.Unmarshal([]byte(stdout), &live); err != nil {
				t.Fatalf("exit code %d, %v: %s", code, err, stderr)
			}
			if diff := cmp.Diff(answerOf(e), answerOf(&live)); diff != "" {
				t.Errorf("(-dump +live):\n%s", diff)
			}
		})
	}
}

// What the examples are about.
const exampleCluster = `
apiVersion: v1
kind: List
items:
- {apiVersion: v1, kind: Node, metadata: {name: worker-1}, status: {allocatable: {cpu: "4", memory: 8Gi, pods: "110"}, nodeInfo: {kubeletVersion: v1.37.1}}}
- {apiVersion: v1, kind: Node, metadata: {name: worker-2}, status: {allocatable: {cpu: "4", memory: 8Gi, pods: "110"}, nodeInfo: {kubeletVersion: v1.37.1}}}
- {apiVersion: scheduling.k8s.io/v1, kind: PriorityClass, metadata: {name: urgent}, value: 1000}
- {apiVersion: policy/v1, kind: PodDisruptionBudget, metadata: {namespace: default, name: web}, spec: {selector: {matchLabels: {app: web}}}, status: {disruptionsAllowed: 0}}
- {apiVersion: scheduling.k8s.io/v1beta1, kind: PodGroup, metadata: {namespace: default, name: training}, spec: {priority: 5, schedulingPolicy: {gang: {minCount: 1}}}}
- {apiVersion: v1, kind: Pod, metadata: {namespace: default, name: t-1}, spec: {priority: 5, schedulingGroup: {podGroupName: training}, containers: [{name: a}]}}
- {apiVersion: v1, kind: Pod, metadata: {namespace: default, name: my-pod}, spec: {priority: 10, containers: [{name: a, resources: {requests: {cpu: "3"}}}]}}
- {apiVersion: v1, kind: Pod, metadata: {namespace: my-namespace, name: my-pod}, spec: {priority: 10, containers: [{name: a, resources: {requests: {cpu: "3"}}}]}}
- {apiVersion: v1, kind: Pod, metadata: {namespace: shop, name: web-1}, spec: {nodeName: worker-1, priority: 1, containers: [{name: a, resources: {requests: {cpu: "3"}}}]}}
- {apiVersion: v1, kind: Pod, metadata: {namespace: default, name: web-1, labels: {app: web}}, spec: {nodeName: worker-2, priority: 1, containers: [{name: a, resources: {requests: {cpu: "3"}}}]}}
`

const exampleDeployment = `{apiVersion: apps/v1, kind: Deployment, metadata: {name: web}, spec: {replicas: 2, template: {metadata: {labels: {app: web}}, spec: {containers: [{name: a, resources: {requests: {cpu: "1"}}}]}}}}`

// Every command line of the help texts and of the docs runs as it is written, against
// a live cluster or a file: none is a mistake, and none ends in an error.
func TestDocumentedCommands(t *testing.T) {
	docs := ""
	for _, file := range []string{"../../README.md", docsFile} {
		data, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		docs += string(data)
	}
	api := served(t, "v1.37.1", []byte(exampleCluster))
	t.Setenv("KUBECONFIG", filepath.Join(t.TempDir(), "config"))
	t.Chdir(t.TempDir())
	for name, text := range map[string]string{
		os.Getenv("KUBECONFIG"): fmt.Sprintf("apiVersion: v1\nkind: Config\nclusters: [{name: c, cluster: {server: %q}}]\ncontexts: [{name: c, context: {cluster: c}}]\ncurrent-context: c\n", api),
		"dump.json":             exampleCluster, "deployment.yaml": exampleDeployment, "web.yaml": exampleDeployment,
		"pod.yaml": `{apiVersion: v1, kind: Pod, metadata: {name: new}, spec: {containers: [{name: a}]}}`,
	} {
		if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	lines := map[string]bool{}
	for _, c := range New(genericiooptions.IOStreams{}).Commands() {
		for _, line := range regexp.MustCompile(`(?m)^ *kubectl preemption (.*)$`).FindAllStringSubmatch(c.Example, -1) {
			lines[line[1]] = true
		}
	}
	fromHelp := len(lines)
	// In the docs capitals stand for what users put there.
	stands := strings.NewReplacer("NAMESPACE", "my-namespace", "podgroup/NAME", "podgroup/training", "FILE", "pod.yaml", "priority=N", "priority=7", "class C", "class urgent", "replicas N", "replicas 2", "-f -", "-f dump.json")
	for _, span := range regexp.MustCompile("`(?:kubectl preemption )?((?:explain|can-evict|capacity|simulate|who|audit|version) [^`]+|who|audit|simulate|version)`").FindAllStringSubmatch(docs, -1) {
		line := stands.Replace(span[1])
		if strings.HasPrefix(line, "can-evict") {
			line = strings.Replace(line, "POD", "web-1", 1)
		}
		lines[strings.Replace(line, "POD", "my-pod", 1)] = true
	}
	if fromHelp < 15 || len(lines) < fromHelp+10 {
		t.Errorf("only %d command lines, %d of the help texts", len(lines), fromHelp)
	}
	for _, line := range sortedKeys(lines) {
		line, _, _ = strings.Cut(line, " >")
		var args []string
		for _, m := range regexp.MustCompile(`"([^"]*)"|(\S+)`).FindAllStringSubmatch(line, -1) {
			args = append(args, m[1]+m[2])
		}
		if code, stdout, stderr := run(nil, args...); code == ExitError || stdout == "" && line != "explain --all-pending -n team-a -l app=web" {
			t.Errorf("kubectl preemption %s: exit code %d: %s%s", line, code, stdout, stderr)
		}
	}
}

// The command that makes a dump asks for all kinds that are read, in the help and in
// the README.
func TestDumpCommand(t *testing.T) {
	readme, err := os.ReadFile("../../README.md")
	if err != nil {
		t.Fatal(err)
	}
	joined := func(s string) string { return strings.Join(strings.Fields(strings.ReplaceAll(s, "\\\n", "")), "") }
	asked := joined(dumpCommand)
	if !strings.Contains(joined(string(readme)), asked) {
		t.Errorf("README.md has another command than the help: %s", asked)
	}
	names := map[string]string{"PersistentVolume": "pv", "PersistentVolumeClaim": "pvc", "PodDisruptionBudget": "pdb", "PriorityClass": "priorityclasses", "RuntimeClass": "runtimeclasses", "StorageClass": "storageclasses"}
	for kind := range paths {
		name := names[kind]
		if name == "" {
			name = strings.ToLower(kind) + "s"
		}
		if kind != "PodGroup" && !regexp.MustCompile(`[n,]`+name+`\b`).MatchString(asked) {
			t.Errorf("%s are not asked for: %s", name, asked)
		}
	}
}
