package session

import (
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"encoding/binary"
	"errors"
	"net/url"
	"strings"
	"time"
)

// stateLife is how long a login may take.
const stateLife = 30 * time.Minute

// stateParam is the parameter of the redirect that carries the state.
const stateParam = "state"

const (
	stateTime  = 8
	stateNonce = 16
	stateBody  = stateTime + stateNonce
)

// stateKey signs states. It comes from the API secret, so that every process of this user with this app can check a
// state that another one made, and nobody else can make one.
func (k *Keeper) stateKey() []byte {
	mac := hmac.New(sha256.New, []byte(k.o.APISecret))
	mac.Write([]byte("kite-mcp/1/login-state/" + k.app))
	return mac.Sum(nil)
}

func (k *Keeper) sign(body []byte) []byte {
	mac := hmac.New(sha256.New, k.stateKey())
	mac.Write(body)
	return mac.Sum(nil)
}

// newState returns a state that is good for stateLife from now.
func (k *Keeper) newState() string {
	body := binary.BigEndian.AppendUint64(nil, uint64(k.o.Kite.Now().Unix())) //nolint:gosec // a time of this century
	nonce := make([]byte, stateNonce)
	_, _ = rand.Read(nonce) // it never fails
	body = append(body, nonce...)
	return base64.RawURLEncoding.EncodeToString(append(body, k.sign(body)...))
}

var errState = errors.New("this login was not started by kite-mcp with this app, or more than 30 minutes ago")

// checkState refuses a state that no process of this user made, or too long ago. Without it a page elsewhere could log
// this machine in to somebody else's account.
func (k *Keeper) checkState(state string) error {
	raw, err := base64.RawURLEncoding.Strict().DecodeString(state)
	if err != nil || len(raw) != stateBody+sha256.Size || k.o.APISecret == "" {
		return errState
	}
	body, mac := raw[:stateBody], raw[stateBody:]
	if !hmac.Equal(mac, k.sign(body)) {
		return errState
	}
	age := k.o.Kite.Now().Sub(time.Unix(int64(binary.BigEndian.Uint64(body)), 0)) //nolint:gosec // signed by us
	if age < -time.Minute || age > stateLife {
		return errState
	}
	return nil
}

// LoginPath is where the login page is, below its root.
const LoginPath = "/connect/login"

// loginURL is the page where the person logs in. The library cannot build it: its host is fixed and it does not escape.
func (k *Keeper) loginURL() string {
	params := url.Values{stateParam: {k.newState()}}
	query := url.Values{"v": {"3"}, "api_key": {k.o.Kite.APIKey}, "redirect_params": {params.Encode()}}
	return k.o.LoginURL + LoginPath + "?" + query.Encode()
}

// reply is what a login brings back.
type reply struct {
	requestToken string
	state        string // "" when the person pasted a bare token
}

const (
	maxReply        = 4096
	minRequestToken = 6
	maxRequestToken = 256
)

var (
	errReply    = errors.New("that is neither the address that the browser ended on nor a request token")
	errNoToken  = errors.New("the address holds no request token; log in to Kite again and take the whole address")
	errDeclined = errors.New("the login was not completed at Kite")
)

// parseReply reads what a person pasted: the address that the browser ended on, its query, or a request token alone.
// Its errors never repeat the text.
func parseReply(text string) (reply, error) {
	text = strings.Trim(strings.TrimSpace(text), `"'<>`)
	if text == "" || len(text) > maxReply {
		return reply{}, errReply
	}
	if !strings.ContainsAny(text, "?=&:/") {
		if !requestToken(text) {
			return reply{}, errReply
		}
		return reply{requestToken: text}, nil
	}
	query := strings.TrimPrefix(text, "?")
	if _, after, ok := strings.Cut(text, "?"); ok {
		query = after
	}
	query, _, _ = strings.Cut(query, "#")
	values, err := url.ParseQuery(query)
	if err != nil {
		return reply{}, errReply
	}
	return replyOf(values)
}

// replyOf reads the query of the redirect.
func replyOf(values url.Values) (reply, error) {
	if status := values.Get("status"); status != "" && status != "success" {
		return reply{}, errDeclined
	}
	if len(values["request_token"]) != 1 || len(values[stateParam]) > 1 || !requestToken(values.Get("request_token")) {
		return reply{}, errNoToken
	}
	return reply{requestToken: values.Get("request_token"), state: values.Get(stateParam)}, nil
}

// requestToken reports whether s can be one.
func requestToken(s string) bool {
	if len(s) < minRequestToken || len(s) > maxRequestToken {
		return false
	}
	for i := range len(s) {
		switch c := s[i]; {
		case c >= '0' && c <= '9', c >= 'a' && c <= 'z', c >= 'A' && c <= 'Z', c == '-', c == '_':
		default:
			return false
		}
	}
	return true
}
