// Package journal is what is written down while Kubernetes' own tests run over the
// library: a JSON line for every PostFilter and for every eviction.
package journal

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"sync"
	"time"
)

// Environment variables steer what is run, since the tests construct the plugin
// themselves.
const (
	FileVariable       = "PREEMPTION_JOURNAL"    // the file to write to; unset: none
	DeciderVariable    = "PREEMPTION_DECIDER"    // off: kube-scheduler decides alone
	CrossCheckVariable = "PREEMPTION_CROSSCHECK" // full: its whole search runs beside every decision
)

// A Line is a PostFilter, with the decision in it unless kube-scheduler decided
// alone, or an eviction.
type Line struct {
	Pod        string        `json:",omitempty"`
	PostFilter time.Duration `json:",omitempty"`
	Success    bool          `json:",omitempty"`
	Decision   *Decision     `json:",omitempty"`
	Evicted    *Evicted      `json:",omitempty"`
}

// Decision is what there is to count about a decision of the library.
type Decision struct {
	Outcome, Agreement, Reason     string
	Victims, Violations, Nodes     int
	Following, Deciding, Checking  time.Duration
	CrossChecked, BetterThanSample bool
}

// Evicted is a victim.
type Evicted struct {
	Pod      string
	Priority int32
}

var (
	file *os.File
	mu   sync.Mutex
)

// Write appends a line to the file. A line that cannot be written would make the
// numbers wrong, so that is the end.
func Write(l Line) {
	name := os.Getenv(FileVariable)
	if name == "" {
		return
	}
	data, err := json.Marshal(l)
	mu.Lock()
	defer mu.Unlock()
	if err == nil && file == nil {
		file, err = os.OpenFile(name, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o666)
	}
	if err == nil {
		_, err = file.Write(append(data, '\n'))
	}
	if err != nil {
		panic(fmt.Sprintf("writing the journal %s: %v", name, err))
	}
}

// Read returns the lines of a file, none if it was never written to.
func Read(name string) ([]Line, error) {
	f, err := os.Open(name)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	defer f.Close()
	var lines []Line
	in := bufio.NewScanner(f)
	for in.Scan() {
		var l Line
		if err := json.Unmarshal(in.Bytes(), &l); err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
		lines = append(lines, l)
	}
	return lines, in.Err()
}
