package kite

import (
	"bytes"
	"encoding/json"
	"strings"
)

// removed stands where a credential was.
const removed = "[removed]"

// redact takes credentials out of an answer whose rows are handed on as sent: whatever stands under the name of one, at
// any depth, and this session's own access token within any text. Kite sends none in these answers; that it never will
// is not ours to promise. An answer without any is returned as it is, and everything else keeps its bytes.
func (c *Client) redact(data json.RawMessage) json.RawMessage {
	own := c.accessToken
	if len(own) < shortestSecret || !bytes.Contains(data, []byte(own)) && bytes.IndexByte(data, '\\') < 0 {
		own = ""
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
		case own != "":
			if text := textWithout(data[start:i], own); text != nil {
				replace(start, i, text)
			}
		}
	}
	if kept == 0 {
		return data
	}
	return append(out, data[kept:]...)
}

// textWithout takes a token out of a JSON string, however the string spells it; nil when it is not in there.
func textWithout(raw []byte, token string) []byte {
	if !bytes.Contains(raw, []byte(token)) && bytes.IndexByte(raw, '\\') < 0 {
		return nil
	}
	s, ok := unquote(raw) // in the text and not in raw, where the token may begin with the letter of an escape
	if !ok || !strings.Contains(s, token) {
		return nil
	}
	without, err := json.Marshal(strings.ReplaceAll(s, token, removed))
	if err != nil {
		return nil
	}
	return without
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
