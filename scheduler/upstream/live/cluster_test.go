//go:build live

package live

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	v1 "k8s.io/api/core/v1"
	schedulingv1 "k8s.io/api/scheduling/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/util/yaml"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/restmapper"
	"k8s.io/client-go/tools/clientcmd"
	clientcmdapi "k8s.io/client-go/tools/clientcmd/api"
	"k8s.io/kubernetes/cmd/kube-apiserver/app/options"
	"k8s.io/kubernetes/test/integration/framework"
)

func TestMain(m *testing.M) { framework.EtcdMain(m.Run) }

const schedulerName = "preemption-scheduler" // of the sample configuration

// cluster is an API server with a client, and what has to be known to run a
// scheduler on it.
type cluster struct {
	kubernetes.Interface
	t           *testing.T
	bin         string
	kubeconfig  string
	gate        *gate
	throughGate string // a kubeconfig
}

func newCluster(t *testing.T) *cluster {
	bin := os.Getenv("PREEMPTION_BIN")
	if bin == "" {
		t.Fatal("PREEMPTION_BIN does not say where the binaries are; use ../run live")
	}
	ctx, stop := context.WithCancel(context.Background())
	client, config, down := framework.StartTestServer(ctx, t, framework.TestServerSetup{
		ModifyServerRunOptions: func(o *options.ServerRunOptions) {
			// Without service accounts, and without the controller that would take the
			// taint off new nodes again.
			o.Admission.GenericAdmission.DisablePlugins = []string{"ServiceAccount", "TaintNodesByCondition"}
		},
	})
	t.Cleanup(func() { down(); stop() })
	dir := t.TempDir()
	c := &cluster{Interface: client, t: t, bin: bin, kubeconfig: filepath.Join(dir, "kubeconfig"), throughGate: filepath.Join(dir, "through-gate")}
	c.fatal(writeKubeconfig(c.kubeconfig, config))
	c.install(config)
	var err error
	c.gate, err = newGate(config)
	c.fatal(err)
	t.Cleanup(func() { c.gate.open(); c.gate.Close() })
	c.fatal(writeKubeconfig(c.throughGate, &rest.Config{Host: c.gate.URL}))
	return c
}

// install creates what is to be deployed with the scheduler. Nobody runs the
// Deployment here; its service account has to have the rights that it needs.
func (c *cluster) install(config *rest.Config) {
	file, err := os.Open("../../cmd/kube-scheduler/deploy.yaml")
	c.fatal(err)
	defer file.Close()
	client, err := dynamic.NewForConfig(config)
	c.fatal(err)
	groups, err := restmapper.GetAPIGroupResources(c.Discovery())
	c.fatal(err)
	mapper := restmapper.NewDiscoveryRESTMapper(groups)
	for documents := yaml.NewYAMLOrJSONDecoder(file, 4096); ; {
		var x unstructured.Unstructured
		err := documents.Decode(&x)
		if err == io.EOF {
			return
		}
		c.fatal(err)
		kind := x.GroupVersionKind()
		mapping, err := mapper.RESTMapping(kind.GroupKind(), kind.Version)
		c.fatal(err)
		_, err = client.Resource(mapping.Resource).Namespace(x.GetNamespace()).Create(c.t.Context(), &x, metav1.CreateOptions{FieldValidation: metav1.FieldValidationStrict})
		c.fatal(err)
	}
}

func writeKubeconfig(name string, config *rest.Config) error {
	k := clientcmdapi.NewConfig()
	k.Clusters["live"] = &clientcmdapi.Cluster{Server: config.Host, CertificateAuthority: config.CAFile}
	k.AuthInfos["live"] = &clientcmdapi.AuthInfo{Token: config.BearerToken}
	k.Contexts["live"] = &clientcmdapi.Context{Cluster: "live", AuthInfo: "live"}
	k.CurrentContext = "live"
	return clientcmd.WriteToFile(*k, name)
}

func (c *cluster) fatal(err error) {
	if err != nil {
		c.t.Helper()
		c.t.Fatal(err)
	}
}

// eventually waits for something to come true.
func (c *cluster) eventually(what string, true func() (bool, error)) {
	c.t.Helper()
	var err error
	for end := time.Now().Add(3 * time.Minute); time.Now().Before(end); time.Sleep(100 * time.Millisecond) {
		var ok bool
		if ok, err = true(); ok && err == nil {
			return
		}
	}
	c.t.Fatalf("%s: not within three minutes (%v)", what, err)
}

func (c *cluster) node(name string, cpu string) {
	amounts := v1.ResourceList{v1.ResourceCPU: resource.MustParse(cpu), v1.ResourceMemory: resource.MustParse("32Gi"), v1.ResourcePods: resource.MustParse("110")}
	_, err := c.CoreV1().Nodes().Create(c.t.Context(), &v1.Node{
		ObjectMeta: metav1.ObjectMeta{Name: name, Labels: map[string]string{v1.LabelHostname: name}},
		Status:     v1.NodeStatus{Capacity: amounts, Allocatable: amounts},
	}, metav1.CreateOptions{})
	c.fatal(err)
}

func (c *cluster) class(name string, value int32) {
	_, err := c.SchedulingV1().PriorityClasses().Create(c.t.Context(), &schedulingv1.PriorityClass{
		ObjectMeta: metav1.ObjectMeta{Name: name}, Value: value}, metav1.CreateOptions{})
	c.fatal(err)
}

// pod creates a pod, running on the node unless that is "".
func (c *cluster) pod(name, node, class, app, cpu string, started time.Time) *v1.Pod {
	c.t.Helper()
	p := &v1.Pod{
		ObjectMeta: metav1.ObjectMeta{Name: name, Labels: map[string]string{"app": app}},
		Spec: v1.PodSpec{
			SchedulerName: schedulerName, NodeName: node, PriorityClassName: class,
			Containers: []v1.Container{{Name: "c", Image: "none", Resources: v1.ResourceRequirements{
				Requests: v1.ResourceList{v1.ResourceCPU: resource.MustParse(cpu)}}}},
		},
	}
	// The API server learns of priority classes by and by.
	c.eventually("creating pod "+name, func() (bool, error) {
		created, err := c.CoreV1().Pods("default").Create(c.t.Context(), p, metav1.CreateOptions{})
		if err == nil {
			p = created
		}
		return err == nil, err
	})
	if node == "" {
		return p
	}
	p.Status.Phase = v1.PodRunning
	start := metav1.NewTime(started)
	p.Status.StartTime = &start
	p, err := c.CoreV1().Pods("default").UpdateStatus(c.t.Context(), p, metav1.UpdateOptions{})
	c.fatal(err)
	return p
}

// pods returns the pods by name.
func (c *cluster) pods() map[string]*v1.Pod {
	list, err := c.CoreV1().Pods("default").List(c.t.Context(), metav1.ListOptions{})
	c.fatal(err)
	pods := make(map[string]*v1.Pod, len(list.Items))
	for i := range list.Items {
		pods[list.Items[i].Name] = &list.Items[i]
	}
	return pods
}

// scheduler is the scheduler as a process, with the sample configuration, behind
// the gate.
type scheduler struct {
	*exec.Cmd
	port int
	log  *bytes.Buffer
}

func (c *cluster) startScheduler() *scheduler {
	sample, err := os.ReadFile("../../cmd/kube-scheduler/config.yaml")
	c.fatal(err)
	config := filepath.Join(c.t.TempDir(), "config.yaml")
	c.fatal(os.WriteFile(config, append(sample, "clientConnection:\n  kubeconfig: "+c.throughGate+"\n"...), 0o666))
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	c.fatal(err)
	port := listener.Addr().(*net.TCPAddr).Port
	c.fatal(listener.Close())
	s := &scheduler{port: port, log: &bytes.Buffer{}}
	s.Cmd = exec.Command(filepath.Join(c.bin, "kube-scheduler"), "--config="+config, "--v=2",
		fmt.Sprintf("--secure-port=%d", port), "--bind-address=127.0.0.1", "--cert-dir="+c.t.TempDir(),
		"--authentication-kubeconfig="+c.throughGate, "--authorization-kubeconfig="+c.throughGate)
	s.Stdout, s.Stderr = s.log, s.log
	c.fatal(s.Start())
	c.t.Cleanup(func() {
		if s.ProcessState == nil {
			s.kill()
		}
		if c.t.Failed() {
			text := s.log.String()
			c.t.Logf("the scheduler:\n%s", text[max(0, len(text)-8000):])
		}
	})
	return s
}

// kill ends the process without a warning.
func (s *scheduler) kill() {
	_ = s.Process.Kill()
	_ = s.Wait() // it was killed
}

// metric returns the lines of a metric of the scheduler, once that serves them.
func (c *cluster) metric(s *scheduler, name string) (string, error) {
	config, err := clientcmd.BuildConfigFromFlags("", c.kubeconfig)
	c.fatal(err)
	config.Host = fmt.Sprintf("https://127.0.0.1:%d", s.port)
	config.TLSClientConfig = rest.TLSClientConfig{Insecure: true}
	client, err := kubernetes.NewForConfig(config)
	c.fatal(err)
	text, err := client.RESTClient().Get().AbsPath("/metrics").DoRaw(c.t.Context())
	if err != nil {
		return "", err
	}
	var lines []string
	for line := range strings.Lines(string(text)) {
		if strings.HasPrefix(line, name) {
			lines = append(lines, strings.TrimSpace(line))
		}
	}
	return strings.Join(lines, "\n"), nil
}
