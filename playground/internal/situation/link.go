package situation

import (
	"bytes"
	"compress/flate"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"io"
)

// mostLink bounds what a link may unpack to, so that a hostile one cannot fill
// the page's memory.
const mostLink = 4 << 20

// Link packs the situation into a text for the fragment of an address: JSON,
// deflated, in the base64 of addresses. The same situation gives the same text.
func (s *Situation) Link() (string, error) {
	text, err := json.Marshal(s)
	if err != nil {
		return "", err
	}
	var packed bytes.Buffer
	w, err := flate.NewWriter(&packed, flate.BestCompression)
	if err != nil {
		return "", err
	}
	if _, err := w.Write(text); err != nil {
		return "", err
	}
	if err := w.Close(); err != nil {
		return "", err
	}
	return base64.RawURLEncoding.EncodeToString(packed.Bytes()), nil
}

// ParseLink unpacks what Link has packed.
func ParseLink(link string) (*Situation, error) {
	packed, err := base64.RawURLEncoding.DecodeString(link)
	if err != nil {
		return nil, fmt.Errorf("the link is damaged: %w", err)
	}
	text, err := io.ReadAll(io.LimitReader(flate.NewReader(bytes.NewReader(packed)), mostLink+1))
	if err != nil {
		return nil, fmt.Errorf("the link is damaged: %w", err)
	}
	if len(text) > mostLink {
		return nil, fmt.Errorf("the link unpacks to more than %d bytes", mostLink)
	}
	return Parse(text)
}

// Parse reads a situation from JSON.
func Parse(text []byte) (*Situation, error) {
	var s Situation
	if err := parse(text, &s); err != nil {
		return nil, err
	}
	return &s, nil
}

func parse(text []byte, into any) error {
	d := json.NewDecoder(bytes.NewReader(text))
	d.DisallowUnknownFields()
	if err := d.Decode(into); err != nil {
		return fmt.Errorf("the situation is not understood: %w", err)
	}
	return nil
}
