package conformance

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"

	"example.com/preemption/internal/generate"
	"example.com/preemption/internal/golden"
)

// A Campaign holds the library against the judge of a release on more generated
// cases than one run of a test can take: in shards, each of which is recorded as
// soon as it is done. Started again, it goes on with the first that is missing.
type Campaign struct {
	Release string
	Judge   Judge
	// Seed tells campaigns apart: two seeds have no case in common.
	Seed uint64
	// Shards of Cases each are judged.
	Shards, Cases int
	// Out is the file of the records, one a line. It may hold other releases
	// and seeds too.
	Out string
	// Log is told of every shard.
	Log io.Writer
}

// Shard is the record of a shard.
type Shard struct {
	Release string `json:"release"`
	Seed    uint64 `json:"seed"`
	Shard   int    `json:"shard"`
	Cases   int    `json:"cases"`
	// Verdicts counts the cases by what came of them.
	Verdicts map[verdict]int `json:"verdicts"`
	// Reached counts the answers compared that reach something, by kind and name.
	Reached map[string]map[string]int `json:"reached"`
	// Features counts the cases that have one.
	Features map[string]int `json:"features"`
	// Failures are mismatches, shrunk, and what the judge could not answer.
	Failures []string `json:"failures,omitempty"`
}

// answers returns how many answers the shard compared.
func (s *Shard) answers() int { return s.Verdicts[agrees] + s.Verdicts[differs] }

// maxCases is how many cases a shard has at most, and how many shards a seed: the
// number of a case is made of the three.
const maxCases = 1 << 20

// Run judges the shards that are missing and returns the records of all that the
// file then holds.
func (c *Campaign) Run() ([]Shard, error) {
	if c.Cases < 1 || c.Cases > maxCases || c.Shards < 0 || c.Shards > maxCases || c.Seed >= maxCases {
		return nil, fmt.Errorf("seed %d, %d shards of %d cases: want each below %d, and some cases", c.Seed, c.Shards, c.Cases, maxCases)
	}
	shards, err := ReadShards(c.Out)
	if err != nil {
		return nil, err
	}
	done := map[int]bool{}
	for _, s := range shards {
		if s.Release != c.Release || s.Seed != c.Seed {
			continue
		}
		if c.Shards > 0 && s.Cases != c.Cases {
			return nil, fmt.Errorf("%s: shard %d of seed %d has %d cases, not %d: take up a campaign with the number it began with", c.Out, s.Shard, s.Seed, s.Cases, c.Cases)
		}
		done[s.Shard] = true
	}
	for n := range c.Shards {
		if done[n] {
			continue
		}
		s, err := c.run(n)
		if err != nil {
			return nil, err
		}
		if err := appendShard(c.Out, s); err != nil {
			return nil, err
		}
		fmt.Fprintf(c.Log, "%s seed %d shard %d of %d: %s\n", c.Release, c.Seed, n+1, c.Shards, tally(s.Verdicts))
		shards = append(shards, s)
	}
	return shards, nil
}

// run judges one shard.
func (c *Campaign) run(n int) (Shard, error) {
	d := differential{release: c.Release, judge: c.Judge}
	s := Shard{Release: c.Release, Seed: c.Seed, Shard: n, Cases: c.Cases,
		Verdicts: map[verdict]int{}, Reached: map[string]map[string]int{}, Features: map[string]int{}}
	first := (c.Seed*maxCases + uint64(n)) * maxCases
	for k := range generate.CasesFrom(c.Release, first, c.Cases) {
		v, answer, diff := d.compare(&k)
		s.Verdicts[v]++
		switch v {
		case differs:
			s.Failures = append(s.Failures, d.report(k, diff))
		case broken:
			s.Failures = append(s.Failures, fmt.Sprintf("%s: the judge: %s", k.Name, diff))
		}
		if v == agrees || v == differs {
			if err := s.count(&k, answer); err != nil {
				return s, err
			}
		}
	}
	return s, nil
}

// count counts what a case and its answer show.
func (s *Shard) count(c *golden.Case, answer golden.Answer) error {
	at, err := newSituation(c, answer, s.Release)
	if err != nil {
		return err
	}
	for kind, list := range reached() {
		if s.Reached[kind] == nil {
			s.Reached[kind] = map[string]int{}
		}
		for _, r := range list {
			if r.is(at) {
				s.Reached[kind][r.name]++
			}
		}
	}
	for _, f := range generate.Features() {
		if f.In(c) {
			s.Features[f.Name]++
		}
	}
	return nil
}

// ReadShards reads the records in a file, none if it does not exist. A line
// without an end is what a campaign that was killed leaves: it is taken away.
func ReadShards(path string) ([]Shard, error) {
	data, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	if whole := bytes.LastIndexByte(data, '\n') + 1; whole < len(data) {
		if err := os.Truncate(path, int64(whole)); err != nil {
			return nil, err
		}
		data = data[:whole]
	}
	var shards []Shard
	for n, line := range bytes.Split(bytes.TrimSuffix(data, []byte("\n")), []byte("\n")) {
		if len(line) == 0 {
			continue
		}
		var s Shard
		if err := json.Unmarshal(line, &s); err != nil {
			return nil, fmt.Errorf("%s: line %d: %w", path, n+1, err)
		}
		shards = append(shards, s)
	}
	return shards, nil
}

func appendShard(path string, s Shard) error {
	line, err := json.Marshal(s)
	if err != nil {
		return err
	}
	f, err := os.OpenFile(path, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o644)
	if err != nil {
		return err
	}
	if _, err := f.Write(append(line, '\n')); err != nil {
		f.Close()
		return err
	}
	return f.Close()
}
