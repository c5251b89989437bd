package server

import (
	"encoding/json"
	"fmt"
	"math"
	"strconv"
)

// wrongID is what a request with an unusable id is told.
const wrongID = "id must be a string or a whole number below 2^53"

// soundID reports whether an answer to the message can carry its id. The SDK
// reads ids as floating point and cuts them to integers: 1.5 would be answered
// as 1, 2^53+1 as 2^53, and a request whose id is null would be dropped as a
// notification. Only requests are judged; the SDK refuses what is no message.
func soundID(text []byte) bool {
	var message map[string]json.RawMessage
	if err := json.Unmarshal(text, &message); err != nil {
		return true
	}
	id, given := message["id"]
	if _, request := message["method"]; !given || !request || id[0] == '"' {
		return true
	}
	n, err := strconv.ParseFloat(string(id), 64)
	return err == nil && n == math.Trunc(n) && math.Abs(n) < 1<<53
}

// refusal is the answer to what is no message. Its id cannot be known, so it is
// null. Messages are our own plain text, whose Go quoting is JSON too.
func refusal(code int, message string) []byte {
	return fmt.Appendf(nil, `{"jsonrpc":"2.0","id":null,"error":{"code":%d,"message":%s}}`, code, strconv.Quote(message))
}
