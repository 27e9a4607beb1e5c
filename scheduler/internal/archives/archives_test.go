// Package archives tests the script that packages kubectl-preemption, with a compiler
// that takes no time: compiling is for CI, which packages for its own platform.
package archives

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"sigs.k8s.io/yaml"
)

const script = "../../cmd/kubectl-preemption/package"

// compiler writes for whom it compiles into its output, and complains of what must
// not be: a build with C, or paths of this machine in it.
const compiler = `#!/usr/bin/env bash
set -eu
[[ $CGO_ENABLED == 0 && $* == *" -trimpath "* && $* == *"internal/command.Version=v1.2.3"* ]] || { echo "go $*" >&2; exit 1; }
while [[ $1 != -o ]]; do shift; done
printf 'for %s/%s' "$GOOS" "$GOARCH" >"$2"
chmod 755 "$2"
`

// packaged runs the script.
func packaged(t *testing.T, args ...string) (string, error) {
	t.Helper()
	bin := t.TempDir()
	if err := os.WriteFile(filepath.Join(bin, "go"), []byte(compiler), 0o700); err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command("bash", append([]string{script}, args...)...)
	cmd.Env = append(os.Environ(), "PATH="+bin+string(os.PathListSeparator)+os.Getenv("PATH"))
	out, err := cmd.CombinedOutput()
	return string(out), err
}

func mustPackage(t *testing.T, args ...string) {
	t.Helper()
	if out, err := packaged(t, args...); err != nil {
		t.Fatalf("%v: %v: %s", args, err, out)
	}
}

// manifest is what krew reads of a plugin's.
type manifest struct {
	APIVersion string
	Kind       string
	Metadata   struct{ Name string }
	Spec       struct {
		Version, Homepage, ShortDescription, Description string
		Platforms                                        []struct {
			Selector         struct{ MatchLabels map[string]string }
			URI, SHA256, Bin string
		}
	}
}

// Each platform has an archive with the command, its completion and the license; the
// manifest names it by its sum and address, as krew wants them; the same input gives
// the same bytes.
func TestArchives(t *testing.T) {
	dir, again := t.TempDir(), t.TempDir()
	mustPackage(t, "v1.2.3", dir)
	mustPackage(t, "v1.2.3", again)

	m := readManifest(t, dir)
	if m.APIVersion != "krew.googlecontainertools.github.com/v1alpha2" || m.Kind != "Plugin" || m.Metadata.Name != "preemption" || m.Spec.Version != "v1.2.3" {
		t.Errorf("manifest %+v", m)
	}
	for _, text := range []string{m.Spec.Homepage, m.Spec.ShortDescription, m.Spec.Description} {
		if text == "" || strings.HasSuffix(m.Spec.ShortDescription, ".") {
			t.Errorf("manifest %+v", m)
		}
	}
	sums := string(read(t, filepath.Join(dir, "checksums.txt")))
	var platforms []string
	for _, p := range m.Spec.Platforms {
		system, processor := p.Selector.MatchLabels["os"], p.Selector.MatchLabels["arch"]
		platforms = append(platforms, system+"/"+processor)
		name := fmt.Sprintf("kubectl-preemption_v1.2.3_%s_%s.tar.gz", system, processor)
		data := read(t, filepath.Join(dir, name))
		if sum := fmt.Sprintf("%x", sha256.Sum256(data)); p.SHA256 != sum || !strings.Contains(sums, sum+"  "+name+"\n") {
			t.Errorf("%s: sum %s, want %s", name, p.SHA256, sum)
		}
		if !strings.HasSuffix(p.URI, "/v1.2.3/"+name) {
			t.Errorf("%s: address %s", name, p.URI)
		}
		if !bytes.Equal(data, read(t, filepath.Join(again, name))) {
			t.Errorf("%s: two runs differ", name)
		}
		bin := "kubectl-preemption"
		if system == "windows" {
			bin += ".exe"
		}
		files := unpacked(t, data)
		if p.Bin != bin || files[bin] != "-rwxr-xr-x for "+system+"/"+processor {
			t.Errorf("%s: command %s in %q", name, p.Bin, files)
		}
		if !strings.HasPrefix(files["kubectl_complete-preemption"], "-rwxr-xr-x #!") || !strings.HasPrefix(files["LICENSE"], "-rw-r--r-- ") || len(files) != 3 {
			t.Errorf("%s: files %q", name, files)
		}
	}
	if want := []string{"linux/amd64", "linux/arm64", "darwin/amd64", "darwin/arm64", "windows/amd64"}; !slices.Equal(platforms, want) || strings.Count(sums, "\n") != len(want) {
		t.Errorf("platforms %v, want %v", platforms, want)
	}
}

// One may ask for some platforms, and say where archives are to be found.
func TestSomePlatforms(t *testing.T) {
	t.Setenv("BASE_URL", "https://mirror.example.com/here")
	dir := t.TempDir()
	mustPackage(t, "v1.2.3", dir, "linux/arm64")
	m := readManifest(t, dir)
	if len(m.Spec.Platforms) != 1 || m.Spec.Platforms[0].URI != "https://mirror.example.com/here/kubectl-preemption_v1.2.3_linux_arm64.tar.gz" {
		t.Errorf("%+v", m.Spec.Platforms)
	}
}

func TestWrongVersion(t *testing.T) {
	for _, args := range [][]string{nil, {"1.2.3"}, {"latest"}} {
		out, err := packaged(t, args...)
		var exit *exec.ExitError
		if !errors.As(err, &exit) || !regexp.MustCompile("usage: package VERSION|want a version such as v0.1.0").MatchString(out) {
			t.Errorf("%v: %v: %s", args, err, out)
		}
	}
}

func readManifest(t *testing.T, dir string) *manifest {
	t.Helper()
	var m manifest
	if err := yaml.UnmarshalStrict(read(t, filepath.Join(dir, "preemption.yaml")), &m); err != nil {
		t.Fatal(err)
	}
	return &m
}

func read(t *testing.T, name string) []byte {
	t.Helper()
	data, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	return data
}

// unpacked returns the files of an archive by name: mode and content.
func unpacked(t *testing.T, data []byte) map[string]string {
	t.Helper()
	z, err := gzip.NewReader(bytes.NewReader(data))
	if err != nil {
		t.Fatal(err)
	}
	files := map[string]string{}
	for r := tar.NewReader(z); ; {
		h, err := r.Next()
		if err == io.EOF {
			return files
		}
		if err != nil {
			t.Fatal(err)
		}
		content, err := io.ReadAll(r)
		if err != nil {
			t.Fatal(err)
		}
		files[h.Name] = h.FileInfo().Mode().String() + " " + string(content)
	}
}
