package session

// Save keeps a login as Complete does, without an exchange.
func Save(k *Keeper, user, token string) error {
	k.mu.Lock()
	defer k.mu.Unlock()
	return k.save(&record{App: k.app, UserID: user, AccessToken: token, LoginTime: k.o.Kite.Now()})
}

// ParseRecord reads a token file and writes it again.
func ParseRecord(raw []byte) (again []byte, err error) {
	r, err := parseRecord(raw)
	if err != nil {
		return nil, err
	}
	return r.encode()
}

// ParseReply returns what a person's paste holds.
func ParseReply(text string) (requestToken, state string, err error) {
	r, err := parseReply(text)
	return r.requestToken, r.state, err
}

// State makes a login state and checks one.
func State(k *Keeper) (fresh string, check func(string) error) { return k.newState(), k.checkState }

// TempAge is the age at which a temporary file is taken for a killed process's.
const TempAge = tempAge
