package tools

func session() Tool {
	return Define(Spec{
		Name:     "session",
		Title:    "Kite session",
		Category: Account,
		Description: "Tells whether the Kite account is logged in, as whom, and until when. " +
			"Use it before account work or after not_authenticated or session_expired; permission_denied is not about the session. " +
			"Needs no login and does not fail without one; changes nothing. " +
			"A session ends at 06:00 IST every morning, sooner when logged out elsewhere.",
		Tags:     []string{"login", "account", "read"},
		HelpKeys: []string{"/troubleshooting/authentication"},
	},
		sessionStatus(),
	)
}
