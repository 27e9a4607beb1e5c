package golden

import (
	"bytes"
	"compress/gzip"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"strings"
)

// WriteFile replaces the file at path by the cases, compressed if its name
// ends in .gz. The same cases give the same bytes, compressed or not. The file
// is left as it was if a case cannot be encoded.
func WriteFile(path string, cases []Case) error {
	var b bytes.Buffer
	if err := encode(&b, path, cases); err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	return os.WriteFile(path, b.Bytes(), 0o644)
}

func encode(w io.Writer, path string, cases []Case) error {
	if !strings.HasSuffix(path, ".gz") {
		return Write(w, cases)
	}
	// The header stays empty: no name and no time make the bytes depend on
	// anything but the cases.
	zw, err := gzip.NewWriterLevel(w, gzip.BestCompression)
	if err != nil {
		return err
	}
	if err := Write(zw, cases); err != nil {
		return err
	}
	return zw.Close()
}

// Write writes the cases to w, one a line.
func Write(w io.Writer, cases []Case) error {
	enc := json.NewEncoder(w)
	enc.SetEscapeHTML(false)
	for i := range cases {
		if err := enc.Encode(cases[i].recorded()); err != nil {
			return fmt.Errorf("case %s: %w", cases[i].Name, err)
		}
	}
	return nil
}
