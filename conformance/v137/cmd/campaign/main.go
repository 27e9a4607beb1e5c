// Campaign holds the library against kube-scheduler v1.37.2 on generated cases, in
// shards that it records, and sums up all records:
//
//	go run ./cmd/campaign -out campaign.jsonl -seed 1 -shards 100
//
// Stopped and started again, it goes on where it was.
package main

import (
	"os"

	"example.com/preemption/conformance/v137/judge"
	"example.com/preemption/internal/conformance"
)

func main() {
	os.Exit(conformance.CampaignMain(judge.Release, judge.Judge, os.Args[1:], os.Stdout, os.Stderr))
}
