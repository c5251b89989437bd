package kite

import (
	"bytes"
	"encoding/json"
)

// removed stands where a credential was.
const removed = "[removed]"

// redact takes credentials out of an answer whose rows are handed on as sent: whatever stands under the name of one, at
// any depth, and this session's own access token within any text. Kite sends none in these answers; that it never will
// is not ours to promise. An answer without any is returned as it is, and everything else keeps its bytes.
func (c *Client) redact(data json.RawMessage) json.RawMessage {
	own := []byte(c.accessToken)
	if len(own) < shortestSecret || !bytes.Contains(data, own) {
		own = nil
	}
	var out []byte
	kept := 0 // everything before it is in out
	replace := func(from, to int, with []byte) {
		out = append(append(out, data[kept:from]...), with...)
		kept = to
	}
	for i := 0; ; {
		quote := bytes.IndexByte(data[i:], '"')
		if quote < 0 {
			break
		}
		start := i + quote
		i = min(stringEnd(data, start)+1, len(data))
		value := skipSpace(data, i)
		switch {
		case value < len(data) && data[value] == ':' && isSecretName(data[start+1:i-1]):
			value = skipSpace(data, value+1)
			i = valueEnd(data, value)
			replace(value, i, []byte(`"`+removed+`"`))
		case own != nil:
			if text := data[start:i]; bytes.Contains(text, own) {
				replace(start, i, bytes.ReplaceAll(text, own, []byte(removed)))
			}
		}
	}
	if kept == 0 {
		return data
	}
	return append(out, data[kept:]...)
}

// isSecretName reports whether a field of that name holds a credential: every token but those that number instruments,
// and what Kite's login calls a secret. Case and separators do not matter.
func isSecretName(name []byte) bool {
	if bytes.IndexByte(name, '\\') >= 0 {
		text, _ := unquote(append(append([]byte{'"'}, name...), '"'))
		name = []byte(text)
	}
	if len(name) == 0 || len(name) > maxSecretName {
		return false
	}
	switch name[len(name)-1] | 0x20 { // most names are done here
	case 'n', 's', 't', 'd', 'y', 'm':
	default:
		return false
	}
	word := make([]byte, 0, maxSecretName)
	for _, b := range name {
		switch {
		case b >= 'A' && b <= 'Z':
			word = append(word, b|0x20)
		case b != '_' && b != '-' && b != ' ':
			word = append(word, b)
		}
	}
	if kind, ok := bytes.CutSuffix(bytes.TrimSuffix(word, []byte("s")), []byte("token")); ok {
		switch string(kind) {
		case "instrument", "exchange", "inst", "exch":
			return false
		}
		return bytes.IndexByte(kind, ':') < 0 // NSE:TOKEN is a share
	}
	switch string(word) {
	case "apisecret", "secret", "clientsecret", "password", "checksum", "apikey":
		return true
	}
	return false
}

const (
	// shortestSecret keeps texts from being cut up by a setting that is no token.
	shortestSecret = 4
	// maxSecretName is longer than any name of a credential.
	maxSecretName = 40
)
