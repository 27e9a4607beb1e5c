package conformance

import (
	"flag"
	"fmt"
	"io"
)

// Main is the command that regenerates golden files with the judge of a
// release. It returns the exit code: 0 if all went well, 2 for wrong arguments,
// 1 otherwise.
func Main(release string, judge Judge, args []string, stdout, stderr io.Writer) int {
	flags := flag.NewFlagSet("regenerate", flag.ContinueOnError)
	flags.SetOutput(stderr)
	r := Regeneration{Release: release, Judge: judge}
	flags.StringVar(&r.In, "in", "", "`folder` of golden files to read")
	flags.StringVar(&r.Out, "out", "", "`folder` to write them to; may be the same")
	flags.BoolVar(&r.Add, "add", false, "also answer cases without an answer of "+release)
	flags.BoolVar(&r.Messages, "messages", false, "record the messages of events too")
	if err := flags.Parse(args); err != nil {
		return 2
	}
	if r.In == "" || r.Out == "" || flags.NArg() > 0 {
		fmt.Fprintf(stderr, "usage: regenerate -in folder -out folder [-add] [-messages]\n")
		return 2
	}
	sum, err := r.Run()
	if err != nil {
		fmt.Fprintln(stderr, err)
		return 1
	}
	fmt.Fprintln(stdout, sum)
	return 0
}

// CampaignMain is the command that holds the library against the judge of a
// release on as many generated cases as it is given time for. It returns the exit
// code: 0 if no answer differs, 2 for wrong arguments, 1 otherwise.
func CampaignMain(release string, judge Judge, args []string, stdout, stderr io.Writer) int {
	flags := flag.NewFlagSet("campaign", flag.ContinueOnError)
	flags.SetOutput(stderr)
	c := Campaign{Release: release, Judge: judge, Log: stderr}
	flags.Uint64Var(&c.Seed, "seed", 1, "`number` of the campaign; no two have a case in common")
	flags.IntVar(&c.Shards, "shards", 0, "how many shards there are to be in the end; 0 only sums up")
	flags.IntVar(&c.Cases, "cases", 1000, "how many cases a shard has")
	flags.StringVar(&c.Out, "out", "", "`file` of records, which is added to")
	if err := flags.Parse(args); err != nil {
		return 2
	}
	if c.Out == "" || flags.NArg() > 0 {
		fmt.Fprintf(stderr, "usage: campaign -out file [-seed number] [-shards n] [-cases n]\n")
		return 2
	}
	shards, err := c.Run()
	if err != nil {
		fmt.Fprintln(stderr, err)
		return 1
	}
	fmt.Fprintln(stdout, Summarize(shards))
	code := 0
	for _, s := range shards {
		for _, failure := range s.Failures {
			fmt.Fprintf(stdout, "\n%s, seed %d, shard %d: %s\n", s.Release, s.Seed, s.Shard, failure)
			code = 1
		}
	}
	return code
}
