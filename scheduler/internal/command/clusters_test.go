package command

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	v1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	utilyaml "k8s.io/apimachinery/pkg/util/yaml"
	"k8s.io/client-go/kubernetes/scheme"
	kjson "sigs.k8s.io/json"
	"sigs.k8s.io/yaml"

	"example.com/preemption/scheduler/explanation"
)

// A kindOfCluster is a dump in the shape that such clusters have, each in another form
// of output; testdata/clusters/README.md says more. Who has to go, and for which node,
// is reckoned by hand.
type kindOfCluster struct {
	name, file           string
	namespace, pod       string // that is pending
	victimsOf, victim    string // the victim's namespace and name
	node, rules, version string
}

var kindsOfClusters = []kindOfCluster{
	// db-0 asks for 2 of 4 cpu, and its disk is on kind-worker, where build holds 3.
	{"kind", "kind.yaml", "shop", "db-0", "ci", "build-4711-3e23e", "kind-worker", "1.36", "1.36"},
	// payment asks for 1: in zone a the report holds 1500m of 1930m; in zone b both pods
	// of web would have to go, and their budget allows one.
	{"eks", "eks.json", "shop", "payment-6b7f8d9c5-148de", "analytics", "report-5c8d6f9b7-45434", "ip-192-168-10-11.eu-west-1.compute.internal", "1.36", "1.34"},
	// cart, of no class, asks for 2: nightly, of priority -10, holds 2 in zone b and too
	// little in zone c.
	{"gke", "gke.json", "shop", "cart-7f6d5c4b3-2e7d2", "batch", "nightly-29540160-1b16b", "gke-shop-default-pool-6f093eaa-x7k2", "1.37", "1.37"},
	// checkout asks for 4: billing holds 6 of 7500m on worker-0; on worker-1 two of web
	// would have to go, and their budget allows one.
	{"openshift", "openshift.yaml", "shop", "checkout-1-c330e", "legacy", "billing-3-n4x5b", "worker-0.shop.example.com", "1.36", "1.35"},
}

func (k *kindOfCluster) read(t *testing.T) []byte {
	t.Helper()
	data, err := os.ReadFile(filepath.Join("testdata/clusters", k.file))
	if err != nil {
		t.Fatal(err)
	}
	return data
}

func TestKindsOfClusters(t *testing.T) {
	for _, k := range kindsOfClusters {
		t.Run(k.name, func(t *testing.T) {
			input := k.read(t)
			code, e := explained(t, string(input), k.pod, "-n", k.namespace)
			if code != ExitYes || len(e.Victims) != 1 || e.Victims[0].Namespace != k.victimsOf || e.Victims[0].Name != k.victim || e.Node != k.node || e.PDBViolations != 0 {
				t.Errorf("exit code %d, node %s, victims %v", code, e.Node, e.Victims)
			}
			told := fmt.Sprintf("the cluster is of version %s: the rules are those of %s", k.version, k.rules)
			if said := strings.Contains(strings.Join(e.Warnings, "\n"), told); e.KubernetesVersion != k.rules || said != (k.version != k.rules) {
				t.Errorf("rules of %s: %q", e.KubernetesVersion, e.Warnings)
			}
			for question, args := range map[string][]string{
				"explain":   {"explain", k.pod, "-n", k.namespace},
				"simulate":  {"simulate"},
				"audit":     {"audit"},
				"who":       {"who"},
				"can-evict": {"can-evict", k.victim, "-n", k.victimsOf},
				"capacity":  {"capacity", "--priority", "5", "--requests", "cpu=1"},
			} {
				code, stdout, stderr := run(input, append(args, "-f", "-")...)
				if code == ExitError || stderr != "" {
					t.Fatalf("%s: exit code %d: %s", question, code, stderr)
				}
				reviewed(t, filepath.Join("clusters", k.name+"-"+question+".txt"), stdout)
			}
		})
	}
}

// The dumps have the fields that such clusters have, and none that the API has not.
func TestClustersHaveAllFields(t *testing.T) {
	for _, k := range kindsOfClusters {
		t.Run(k.name, func(t *testing.T) {
			nodes, pods, others := 0, 0, 0
			for _, object := range objectsOf(t, k.read(t)) {
				gvk := schema.FromAPIVersionAndKind(object["apiVersion"].(string), object["kind"].(string))
				typed, err := scheme.Scheme.New(gvk)
				if runtime.IsNotRegisteredError(err) {
					others++
					continue
				}
				data, err := json.Marshal(object)
				if err != nil {
					t.Fatal(err)
				}
				wrong, err := kjson.UnmarshalStrict(data, typed)
				if err != nil || len(wrong) > 0 {
					t.Fatalf("%s: %v %v", data[:min(len(data), 300)], wrong, err)
				}
				meta := typed.(metav1.Object)
				if meta.GetUID() == "" || meta.GetResourceVersion() == "" || meta.GetCreationTimestamp() == (metav1.Time{}) {
					t.Errorf("%s %s: metadata is missing", gvk.Kind, meta.GetName())
				}
				switch x := typed.(type) {
				case *v1.Node:
					nodes++
					s := x.Status
					if len(x.Labels) < 5 || len(s.Addresses) < 2 || len(s.Conditions) < 4 || len(s.Images) < 4 || s.NodeInfo.BootID == "" || s.DaemonEndpoints.KubeletEndpoint.Port == 0 || s.Capacity.Cpu().IsZero() || s.Allocatable.Memory().IsZero() {
						t.Errorf("node %s lacks fields", x.Name)
					}
				case *v1.Pod:
					pods++
					c := x.Spec.Containers[0]
					if x.Spec.Priority == nil || x.Spec.PreemptionPolicy == nil || x.Spec.SchedulerName == "" || len(x.Spec.Volumes) == 0 || len(x.Spec.Tolerations) == 0 || c.Image == "" || c.TerminationMessagePath == "" || x.Status.QOSClass == "" || len(x.Status.Conditions) == 0 {
						t.Errorf("pod %s lacks fields", x.Name)
					}
					if x.Spec.NodeName != "" && (len(x.Status.ContainerStatuses) != len(x.Spec.Containers) || x.Status.ContainerStatuses[0].ContainerID == "" || x.Status.PodIP == "" || x.Status.StartTime == nil) {
						t.Errorf("pod %s lacks fields of its status", x.Name)
					}
				}
			}
			if nodes < 3 || pods < 14 || others == 0 && k.name != "kind" {
				t.Errorf("%d nodes, %d pods, %d objects of other kinds", nodes, pods, others)
			}
		})
	}
}

// The same cluster as a folder with a file an object, as tools for support gather it.
func TestClusterInFiles(t *testing.T) {
	k := kindsOfClusters[3]
	dir := t.TempDir()
	for i, object := range objectsOf(t, k.read(t)) {
		data, err := yaml.Marshal(object)
		if err != nil {
			t.Fatal(err)
		}
		folder := filepath.Join(dir, "namespaces", fmt.Sprint(i%7))
		if err := os.MkdirAll(folder, 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(folder, fmt.Sprintf("%03d.yaml", i)), append([]byte("---\n"), data...), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	code, stdout, stderr := run(nil, "explain", k.pod, "-n", k.namespace, "-f", dir, "-R", "-o", "json")
	var e explanation.Explanation
	if err := json.Unmarshal([]byte(stdout), &e); err != nil {
		t.Fatalf("exit code %d, %v: %s", code, err, stderr)
	}
	if code != ExitYes || len(e.Victims) != 1 || e.Victims[0].Name != k.victim {
		t.Errorf("exit code %d, victims %v", code, e.Victims)
	}
}

// objectsOf returns the objects of a dump, each with its kind.
func objectsOf(t *testing.T, data []byte) []map[string]any {
	t.Helper()
	var list []map[string]any
	for documents := utilyaml.NewYAMLOrJSONDecoder(bytes.NewReader(data), 4096); ; {
		var x struct {
			APIVersion string           `json:"apiVersion"`
			Kind       string           `json:"kind"`
			Items      []map[string]any `json:"items"`
		}
		if err := documents.Decode(&x); err != nil {
			if len(list) == 0 {
				t.Fatal(err)
			}
			return list
		}
		for _, item := range x.Items {
			if kind := strings.TrimSuffix(x.Kind, "List"); kind != "" && item["kind"] == nil {
				item["apiVersion"], item["kind"] = x.APIVersion, kind
			}
			list = append(list, item)
		}
	}
}
