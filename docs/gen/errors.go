package main

// section is a table of the document.
type section struct {
	title        string
	explanations []explanation
}

// explanation says of a code when the service returns it, and what helps the caller then: an action, or the members of
// the answer to act on. Both are Markdown.
type explanation struct{ code, when, helps string }

// sections has an explanation of each code in the contract.
var sections = []section{
	{"The request", []explanation{
		{code: "bad_request",
			when: "the body is truncated, not UTF-8 or nested too deeply; the path or the query is not UTF-8; the path, " +
				"the headers or the framing are malformed; or the service never returned the cursor for this list",
			helps: "correct the request"},
		{code: "not_found", when: "nothing exists at this path or under this name"},
		{code: "method_not_allowed", when: "the path accepts other methods", helps: "`allowed`, and the header `Allow`"},
		{code: "request_timeout",
			when:  "the headers or the body did not arrive in time; the call had no effect",
			helps: "send the request again"},
		{code: "idempotency_in_flight",
			when:  "a call with the same `Idempotency-Key` is in progress",
			helps: "try again to get its answer"},
		{code: "body_too_large",
			when: "a body has at most 64 KiB; the service reads the rest of a larger one, for 30 s at most, so that its " +
				"sender sees this error",
			helps: "`Expect: 100-continue`: the error comes before the body is sent"},
		{code: "unsupported_encoding", when: "the body has a `Content-Encoding`", helps: "send it uncompressed"},
		{code: "expectation_failed",
			when:  "the header `Expect` has another value than `100-continue`",
			helps: "leave it out"},
		{code: "too_many_streams",
			when: "the limit of open streams of `/api/events` is reached: 20 for an account, 100 for a network address " +
				"(1,600 for a shared one); or an export of the account is being sent",
			helps: "close one, or poll with `Prefer: wait`"},
		{code: "headers_too_large", when: "the headers of a request have at most 32 KiB"},
	}},
	{"Authentication", []explanation{
		{code: "weak_password",
			when: "the new password is one of the 10,000 commonest, nothing but blanks, or the username; on a service " +
				"with a `public-url`, see `weak-passwords` in [operations](operations.md)",
			helps: "choose another one"},
		{code: "unauthenticated",
			when: "the caller is not signed in, or the session has expired; registering with the cookie of such a " +
				"session also clears the cookie",
			helps: "`POST /api/guest` opens an account and a session; after a refused registration, sign in or register " +
				"again"},
		{code: "bad_credentials", when: "username or password is wrong; the error does not show which"},
		{code: "account_frozen",
			when: "an operator has frozen the account: it cannot sign in, and its sessions, its keys and its bots' keys " +
				"are refused until the account is thawed",
			helps: "ask the operator"},
		{code: "bots_only", when: "the operation is for bots", helps: "call with a bot's key"},
		{code: "csrf_failed",
			when:  "the header `X-CSRF-Token` is missing or wrong, or a page of another site made the request",
			helps: "`GET /api/me` returns the token"},
		{code: "sign_in_required",
			when: "changing a password or a mailbox and deleting the account need the password, or a sign-in less than 10 " +
				"minutes ago; making a key or a bot and rotating a bot's key need the sign-in, also to get a stored answer",
			helps: "sign in again and repeat the call, or send the password with a call that takes one"},
		{code: "forbidden",
			when:  "this belongs to another player, or is not available to callers with a key, or the key lacks a scope",
			helps: "`scope`: a key with that scope"},
		{code: "link_invalid",
			when: "the magic link or reset link was used before, is older than 15 minutes, was never sent, or was " +
				"voided: by a change of the account's password, by signing out everywhere else, by the deletion of the " +
				"account, or by securing the guest that requested the link; a reset link also by the removal of its mailbox",
			helps: "request another"},
		{code: "already_registered", when: "the account has a password already"},
		{code: "last_credential",
			when:  "the mailbox is the only way to sign in to the account",
			helps: "set a password, or attach another mailbox"},
		{code: "username_taken", when: "the username, or one that looks alike, is taken or reserved"},
		{code: "words_hidden",
			when:  "an operator has hidden version and description of this bot",
			helps: "ask the operator"},
		{code: "rate_limited",
			when: "too many requests, new accounts or bytes of the log from this network address, too many requests of " +
				"this session or key, or too many failed logins",
			helps: "`retry_after_ms`, the headers `Retry-After` and `RateLimit`"},
	}},
	{"House runs", []explanation{
		{code: "run_active", when: "another run is unfinished", helps: "`GET /api/runs/active`"},
		{code: "run_state", when: "the state of the run does not allow this", helps: "`status`"},
		{code: "already_claimed", when: "the tier was claimed before; its token is in the wallet"},
		{code: "too_fast",
			when:  "the last throw was less than 250 ms ago; the call had no effect",
			helps: "`retry_after_ms`, and the header `Retry-After` in whole seconds"},
	}},
	{"Duels", []explanation{
		{code: "commitment_mismatch",
			when:  "move and salt do not match the commitment",
			helps: "try again until the deadline"},
		{code: "duel_moved_on",
			when:  "the round of the step is decided, the duel has ended, or the step was made before",
			helps: "read the duel again"},
		{code: "not_your_turn", when: "the duel needs another step first: an opponent, both commitments"},
		{code: "own_duel", when: "the duel is the caller's own"},
		{code: "duel_full", when: "the duel has an opponent already"},
		{code: "duel_closed", when: "the duel has ended: finished, expired or cancelled"},
		{code: "no_rematch",
			when: "there is no rematch of this duel: it goes on, is practice or of the arena, or the opponent has too " +
				"many unfinished duels or is gone"},
		{code: "no_challenge",
			when: "the opponent takes no challenge of the caller: the opponent takes none, or those of people met in a " +
				"duel of the last 30 days, or does not want it now",
			helps: "`challenges` on its profile says whose it takes; create a duel without `opponent` and send its code"},
		{code: "quiet_hours",
			when:  "the opponent has quiet hours",
			helps: "try again later: `challenges.quiet` on its profile"},
		{code: "challenge_limit",
			when: "a challenge between the two is open, the caller's last one of this opponent is less than ten minutes " +
				"ago, or five of the caller's are open",
			helps: "wait, or cancel one"},
		{code: "opponent_short", when: "the other side can no longer pay the stake that is due when the duel begins"},
	}},
	{"Cups", []explanation{
		{code: "not_secured",
			when:  "opening a cup needs an account with a password or a verified mailbox",
			helps: "register, or attach a mailbox"},
		{code: "cup_private", when: "the cup is private and the code is missing or wrong", helps: "its host sees the code"},
		{code: "cup_started", when: "the cup has started or is over"},
		{code: "cup_full", when: "all seats of the cup are taken"},
		{code: "cup_few", when: "a cup starts with two players, or one and the house's bots"},
		{code: "cup_state",
			when:  "the cup is over, or cannot be started, paused or resumed now, or its host cannot end keys in it",
			helps: "read the cup"},
		{code: "cup_name_taken", when: "the name is reserved, or an unfinished cup has it or one that looks alike"},
		{code: "in_cup",
			when:  "the account is in an unfinished cup, or another bot of its owner is in this one",
			helps: "leave the other cup, or wait for its end"},
		{code: "not_in_cup", when: "the account is not in the cup, or has left it"},
	}},
	{"Coins and tokens", []explanation{
		{code: "insufficient_funds",
			when:  "there are not enough coins, or not enough free ones",
			helps: "`balance`, `free`, `needed`"},
		{code: "faucet_not_ready", when: "the faucet pays again later", helps: "`next_at`, `retry_after_ms`"},
		{code: "balance_too_high", when: "the balance is too high for the faucet"},
		{code: "no_token", when: "there is no token to burn"},
		{code: "token_bound", when: "the token is bound: it cannot be sold to another account"},
		{code: "not_owner", when: "the token is not in this wallet"},
		{code: "already_listed",
			when:  "the token is for sale, so it cannot be listed again, burnt or offered to the house",
			helps: "cancel its listing"},
		{code: "not_for_sale", when: "the listing was sold or cancelled"},
		{code: "own_listing",
			when: "the listing is the caller's own: a player and the bots that belong to them are one party"},
		{code: "offer_closed", when: "the house's offer was answered, has expired or is void", helps: "`status`"},
		{code: "no_offer", when: "the house makes no offer for tokens of this tier"},
		{code: "conflict", when: "a concurrent change conflicted with this one", helps: "try again"},
	}},
	{"Teams", []explanation{
		{code: "team_private",
			when:  "the team is private and the code is missing or wrong",
			helps: "its members see the code"},
		{code: "team_name_taken", when: "a team with this name, or one that looks alike, exists, or the name is reserved"},
		{code: "in_team", when: "the caller is in a team already", helps: "leave it"},
		{code: "no_team", when: "the caller is not in a team"},
		{code: "team_full", when: "the team has 20 members"},
	}},
	{"The service", []explanation{
		{code: "limit_reached",
			when: "the account has reached its limit of API keys, bots, mailboxes, unfinished duels or hosted cups, or " +
				"its network its share of a cup's seats; or this entry is used up for today",
			helps: "remove or finish one, or wait until midnight UTC"},
		{code: "internal",
			when:  "a fault of the service; its text is in the log under the request id",
			helps: "give the operator the `request_id`"},
		{code: "not_stored",
			when:  "the service cannot reach its database now; nothing was stored",
			helps: "try again after `Retry-After` seconds"},
		{code: "unavailable",
			when:  "the service restarts, or it is unknown whether this was stored",
			helps: "read before trying again, after `Retry-After` seconds"},
		{code: "recovering",
			when: "the service is recovering from a loss of data; nothing was stored",
			helps: "try again after `Retry-After` seconds, a start with a new client seed. While answers to reads have " +
				"the header `Roshambo-Recovering: 1`, they may be older than earlier ones"},
		{code: "storage_full",
			when:  "the service's disk is full; nothing was stored",
			helps: "try again later: the service recovers once there is space"},
	}},
}
