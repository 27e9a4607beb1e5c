// Package openb embeds the files of the openb trace; README.md beside them says
// where they are from. It lies below testdata so that the data is kept in one
// place, for tests and for the example that imports it.
package openb

import _ "embed"

// The two files as published, compressed with gzip.
var (
	//go:embed openb_node_list_all_node.csv.gz
	Nodes []byte
	//go:embed openb_pod_list_default.csv.gz
	Pods []byte
)
