package tools

func session() Tool {
	return Define(Spec{
		Name:     "session",
		Title:    "Kite session",
		Category: Account,
		Description: "Tells whether the Kite account is logged in, as whom, and until when (status), and which changes were approved through this program and what became of them (activity). " +
			"Use status before account work or after not_authenticated or session_expired, activity after outcome_unknown; permission_denied is not about the session. " +
			"Status needs no login and does not fail without one; both change nothing. " +
			"A session ends at 06:00 IST every morning, sooner when logged out elsewhere.",
		Tags:     []string{"login", "account", "read"},
		HelpKeys: []string{"/troubleshooting/authentication"},
	},
		sessionStatus(),
		sessionActivity(),
	)
}
