// Package ui holds the Kite app: the one HTML file that hosts with MCP Apps show,
// and the list of its views. It owns neither tools nor transports; the TypeScript
// beside it is built into app.html, which is committed, so that a Go build needs
// no Node.js. Start at HTML and Views.
package ui

import (
	"bytes"
	"crypto/sha256"
	_ "embed"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"strings"
)

// How clients find and recognise the app. Hosts cache by the URI: what a cached
// view cannot read needs a new one.
const (
	URI      = "ui://kite/explorer-v1.html"
	MIMEType = "text/html;profile=mcp-app"
)

//go:embed app.html
var html string

//go:embed preview.html
var preview string

//go:embed views.json
var views []byte

// HTML returns the app. It holds no account data.
func HTML() string { return html }

// Preview returns the host page of kite-mcp app preview.
func Preview() string { return preview }

// The build writes the digest of the app into it, in place of these zeros.
const (
	stamp     = `<meta name="digest" content="`
	unstamped = "000000000000"
)

// Digest identifies the build, as the app shows it: the first 12 hex digits of the
// SHA-256 of HTML with zeros where the digest stands.
func Digest() string {
	blank := html
	if before, after, ok := strings.Cut(html, stamp); ok && len(after) >= len(unstamped) {
		blank = before + stamp + unstamped + after[len(unstamped):]
	}
	sum := sha256.Sum256([]byte(blank))
	return hex.EncodeToString(sum[:])[:len(unstamped)]
}

// View is a screen of the app and the tool mode whose result it shows.
type View struct {
	Name        string            `json:"-"`
	Title       string            `json:"title"`
	Description string            `json:"description"` // one clause
	Tool        string            `json:"tool"`
	Mode        string            `json:"mode"`
	Arguments   map[string]any    `json:"arguments"` // of the mode, unless the caller gives others
	Accepts     []string          `json:"accepts"`   // arguments of the mode that a caller may give
	Example     map[string]any    `json:"example"`   // arguments of a call that opens the view
	Describe    map[string]string `json:"describe"`  // of arguments whose own description speaks of other modes
}

// Views returns the screens in their order. It fails only for a broken build.
func Views() ([]View, error) {
	dec := json.NewDecoder(bytes.NewReader(views))
	if _, err := dec.Token(); err != nil {
		return nil, fmt.Errorf("read views.json: %w", err)
	}
	var all []View
	for dec.More() {
		name, err := dec.Token()
		if err != nil {
			return nil, fmt.Errorf("read views.json: %w", err)
		}
		var v View
		if err := dec.Decode(&v); err != nil {
			return nil, fmt.Errorf("read view %v of views.json: %w", name, err)
		}
		v.Name = fmt.Sprint(name)
		all = append(all, v)
	}
	return all, nil
}
