package main

import (
	"bytes"
	"fmt"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

func TestPercentile(t *testing.T) {
	hundred := make([]time.Duration, 100)
	for i := range hundred {
		hundred[i] = time.Duration(i + 1)
	}
	for _, tt := range []struct {
		sorted  []time.Duration
		percent int
		want    time.Duration
	}{
		{nil, 50, 0},
		{[]time.Duration{7}, 1, 7},
		{[]time.Duration{7}, 99, 7},
		{[]time.Duration{1, 2}, 50, 1},
		{[]time.Duration{1, 2}, 51, 2},
		{hundred, 99, 99},
		{hundred, 100, 100},
	} {
		if got := percentile(tt.sorted, tt.percent); got != tt.want {
			t.Errorf("percentile %d of %d values = %d, want %d", tt.percent, len(tt.sorted), got, tt.want)
		}
	}
}

func TestHistogram(t *testing.T) {
	label := func(low, high int) string { return fmt.Sprintf("%d-%d", low, high) }
	got := fmt.Sprint(histogram([]int{4, 1, 9, 1, 3, 12}, []int{0, 1, 2, 3, 5, 9}, label))
	if want := "[{1-1 2} {2-2 0} {3-4 2} {5-8 0} {9-12 2}]"; got != want {
		t.Errorf("histogram = %s, want %s", got, want)
	}
	if got := histogram(nil, []int{0}, label); got != nil {
		t.Errorf("histogram of nothing = %v", got)
	}
}

func TestRounded(t *testing.T) {
	for d, want := range map[time.Duration]string{0: "0s", 999: "999ns", 12345: "12.3µs", 4567890: "4.57ms"} {
		if got := rounded(d).String(); got != want {
			t.Errorf("rounded(%d) = %s, want %s", d, got, want)
		}
	}
}

func TestProgress(t *testing.T) {
	show := func(terminal bool) string {
		var out bytes.Buffer
		var now time.Duration
		p := newProgress(&out, func() time.Duration { return now }, 40)
		p.terminal = terminal
		for n := 1; n <= 40; n++ {
			now += time.Second / 2
			p.done(n)
		}
		p.clear()
		return out.String()
	}
	if diff := cmp.Diff("4 of 40 pods, 10 %\n24 of 40 pods, 60 %\n", show(false)); diff != "" {
		t.Errorf("in a file (-want +got):\n%s", diff)
	}
	want := ""
	for n := 4; n < 40; n++ {
		want += fmt.Sprintf("\r%d of 40 pods, %d %%", n, 100*n/40)
	}
	want += "\r\x1b[K"
	if diff := cmp.Diff(want, show(true)); diff != "" {
		t.Errorf("on a terminal (-want +got):\n%s", diff)
	}
}
