package tools

func session() Tool {
	return Define(Spec{
		Name:     "session",
		Title:    "Kite session",
		Category: Account,
		Description: "Tells whether the Kite account is logged in, as whom, and until when (status); gives a login link (login); ends the session (logout); tells which changes were approved through this program and what became of them (activity). " +
			"Use status before account work or after not_authenticated or session_expired, activity after outcome_unknown; permission_denied is not about the session. " +
			"Status needs no login and does not fail without one. No mode changes orders or holdings. " +
			"A session ends at 06:00 IST every morning, sooner when logged out elsewhere.",
		Tags:     []string{"login", "account"},
		HelpKeys: []string{"/troubleshooting/authentication"},
	},
		sessionStatus(),
		sessionLogin(),
		sessionLogout(),
		sessionActivity(),
	)
}
