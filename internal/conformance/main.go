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
