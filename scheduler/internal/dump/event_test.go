package dump

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	v1 "k8s.io/api/core/v1"
)

// An event is the same in either version of the API, and is as old as the last time
// that it tells of; when it was stored counts where it tells of none.
func TestEvents(t *testing.T) {
	at := func(minute int) string { return fmt.Sprintf(`"2026-03-01T12:%02d:00Z"`, minute) }
	micro := func(minute int) string { return fmt.Sprintf(`"2026-03-01T12:%02d:00.000000Z"`, minute) }
	const about = `{"kind": "Pod", "namespace": "default", "name": "victim"}`
	for name, tc := range map[string]struct {
		series, last, first, when string // as they are written, "" where there are none
		want                      int    // minute
	}{
		"stored":                {"", "", "", "", 1},
		"once":                  {"", "", "", `, "eventTime": ` + micro(2), 2},
		"in the old way":        {"", at(4), at(3), "", 4},
		"a series":              {`, "series": {"count": 2, "lastObservedTime": ` + micro(5) + `}`, "", "", `, "eventTime": ` + micro(2), 5},
		"a series that is over": {`, "series": {"count": 2, "lastObservedTime": ` + micro(5) + `}`, at(6), at(3), "", 6},
	} {
		times := func(last, first string) string {
			s := tc.series + tc.when
			if tc.last != "" {
				s += fmt.Sprintf(`, "%s": %s, "%s": %s`, last, tc.last, first, tc.first)
			}
			return s
		}
		metadata := `"metadata": {"namespace": "default", "name": "e", "creationTimestamp": ` + at(1) + `}, "reason": "Preempted", `
		input := `{"apiVersion": "v1", "kind": "Event", ` + metadata + `"message": "by urgent", "source": {"component": "scheduler"}, "involvedObject": ` + about +
			times("lastTimestamp", "firstTimestamp") + `}
			{"apiVersion": "events.k8s.io/v1", "kind": "Event", ` + metadata + `"note": "by urgent", "deprecatedSource": {"component": "scheduler"}, "regarding": ` + about +
			times("deprecatedLastTimestamp", "deprecatedFirstTimestamp") + `}`
		var c Contents
		if err := c.Read(strings.NewReader(input), "input"); err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		want := Event{Reason: "Preempted", Note: "by urgent", Reporter: "scheduler", When: time.Date(2026, 3, 1, 12, tc.want, 0, 0, time.UTC),
			Regarding: v1.ObjectReference{Kind: "Pod", Namespace: "default", Name: "victim"}}
		if diff := cmp.Diff([]Event{want, want}, c.Events); diff != "" {
			t.Errorf("%s, of the core API and of its own (-want +got):\n%s", name, diff)
		}
	}
}
