package session

import (
	"encoding/json"
	"errors"
	"fmt"
	"time"
)

const (
	fileVersion = 1
	maxFile     = 16 << 10
	maxToken    = 512
	maxUser     = 64

	statusExpired   = "expired"
	statusLoggedOut = "logged_out"
)

// record is a saved login.
type record struct {
	App         string // short hash of the API key that the token belongs to
	UserID      string // Kite's
	AccessToken string
	LoginTime   time.Time // when we exchanged the request token
}

// recordFile is its form on disk.
type recordFile struct {
	Version     int    `json:"version"`
	App         string `json:"app"`
	UserID      string `json:"user_id"`
	AccessToken string `json:"access_token"`
	LoginTime   string `json:"login_time"` // RFC 3339
}

// parseRecord reads a token file. Its errors never hold a part of the file.
func parseRecord(raw []byte) (*record, error) {
	var f recordFile
	if err := readJSON(raw, &f); err != nil {
		return nil, err
	}
	if f.Version != fileVersion {
		return nil, fmt.Errorf("it has version %d; this program reads version %d", f.Version, fileVersion)
	}
	at, err := time.Parse(time.RFC3339Nano, f.LoginTime)
	if err != nil {
		return nil, errors.New("its login time cannot be read")
	}
	r := &record{App: f.App, UserID: f.UserID, AccessToken: f.AccessToken, LoginTime: at}
	return r, r.check()
}

// check holds what comes from a file or from Kite to what can be a login.
func (r *record) check() error {
	switch {
	case !visible(r.App, 64):
		return errors.New("it names no Kite Connect app")
	case !visible(r.UserID, maxUser):
		return errors.New("it has no usable user id")
	case !visible(r.AccessToken, maxToken):
		return errors.New("it has no usable access token")
	case r.LoginTime.Year() < 2000 || r.LoginTime.Year() > 2999:
		return errors.New("its login time cannot be right")
	default:
		return nil
	}
}

func (r *record) encode() ([]byte, error) {
	//nolint:gosec // to keep the token is what the file is for
	return json.MarshalIndent(recordFile{fileVersion, r.App, r.UserID, r.AccessToken, r.LoginTime.UTC().Format(time.RFC3339Nano)}, "", "  ")
}

// ending says that a session is over before its time. It names the token by its hash, so that it says nothing about a
// login made meanwhile.
type ending struct {
	Token  string `json:"token"` // SHA-256
	Status string `json:"status"`
}

// parseEnding reads the file of the last end; what cannot be read says nothing.
func parseEnding(raw []byte) ending {
	var e ending
	if readJSON(raw, &e) != nil || e.Status != statusExpired && e.Status != statusLoggedOut {
		return ending{}
	}
	return e
}

func readJSON(raw []byte, v any) error {
	if len(raw) > maxFile {
		return fmt.Errorf("it is larger than %d bytes", maxFile)
	}
	if err := json.Unmarshal(raw, v); err != nil {
		return errors.New("it is not the JSON that this program writes") // err quotes the file
	}
	return nil
}

// visible reports whether s is 1 to most characters that can stand in an HTTP header.
func visible(s string, most int) bool {
	if s == "" || len(s) > most {
		return false
	}
	for i := range len(s) {
		if s[i] <= ' ' || s[i] > '~' {
			return false
		}
	}
	return true
}
