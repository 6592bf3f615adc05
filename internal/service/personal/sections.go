package personal

// sections are all records of an account, the account itself first, then what only its owner
// and the service know, then the game, which is public. A new table with a column for accounts
// gets a section here, or a reason in the test. The columns leave out secrets, hashes of secrets
// and what is the same in every row.
var sections = []section{
	{"account", "account", "address = $1", "address", []column{
		addr("address"), text("kind"), text("username"), at("created_at"), at("faucet_at"), at("frozen_at"), at(
			"deleted_at")}},
	{"password", "credential", "address = $1", "address", []column{at("changed_at")}},
	{"mailboxes", "email", "address = $1", "email_key", []column{text("email"), at("verified_at")}},
	{"requested_links", "magic_link", "address = $1", "token_hash", []column{
		text("kind"), text("email"), at("created_at"), at("expires_at"), at("sent_at")}},
	{"waiting_notices", "mail_notice", "email IN (SELECT e.email FROM email e WHERE e.address = $1)", "notice_id",
		[]column{text("email"), text("kind"), text("username"), text("mailbox"), at("created_at"), at("expires_at")}},
	{"sessions", "session", "address = $1", "token_hash", []column{
		at("created_at"), at("seen_at"), at("signed_in_at"), text("agent")}},
	{"keys", "api_key", "address = $1", "key_id", []column{
		number("key_id"), text("label"), text("prefix"), number("scopes"), at("created_at"), at("used_at"), at(
			"revoked_at")}},
	{"bots", "bot", "owner = $1", "address", []column{addr("address"), at("created_at")}},
	{"bot_keys", "api_key", "address IN (SELECT b.address FROM bot b WHERE b.owner = $1)", "key_id", []column{
		addr("address"), text("label"), text("prefix"), at("created_at"), at("used_at"), at("revoked_at")}},
	{"known_browsers", "known_device", "address = $1", "device", []column{at("seen_at")}},
	{"held_names", "held_name", "address = $1", "username_key", []column{text("username_key"), at("held_until")}},
	{"acts_of_operators", "operator_log", "subject = $1", "seq", []column{
		number("seq"), at("at"), text("action"), document("detail")}},
	{"renames", "account_rename", "address = $1", "rename_id", []column{at("renamed_at")}},
	{"stored_answers", "idempotency", "account = $1", "name", []column{text("name"), at("created_at")}},

	// The game.
	{"balance", "ledger_account", "address = $1", "address", []column{
		text("kind"), number("balance"), number("nonce"), hash("commitment"), hash("commitment_tx")}},
	{"tokens", "ledger_token", "owner = $1", "token_id", []column{
		number("token_id"), number("tier"), text("run_id"), number("locked")}},
	{"next_commitment", "run_commitment", "account = $1", "account", []column{hash("commitment")}},
	{"runs", "run", "account = $1", "id", []column{
		text("id"), text("status"), text("entry"), text("client_seed"), hash("commitment"), number("first_tier"),
		number("cleared"), number("throws"), text("transcript"), number("token_id"), at("started_at"), at("ended_at")}},
	// An account plays each duel as one of the sides; each side has an index.
	{"duels_as_a", "duel", "a = $1", "seq", duelColumns},
	{"duels_as_b", "duel", "b = $1", "seq", duelColumns},
	{"rated_pairs_low", "duel_pair", "low = $1", "day, high", []column{
		addr("low"), addr("high"), number("day"), number("rated")}},
	{"rated_pairs_high", "duel_pair", "high = $1", "day, low", []column{
		addr("low"), addr("high"), number("day"), number("rated")}},
	{"cups", "cup_player", "address = $1", "cup", []column{
		number("cup"), at("joined_at"), number("active"), number("place")}},
	// Bots are accounts of their own: their ratings are public under their names.
	{"ratings", "arena_rating", "pool = 'human' AND address = $1", "address", []column{
		text("pool"), number("rating"), number("deviation"), number("volatility"), number("games"), number("wins"),
		number("losses"), number("draws"), number("peak"), at("peak_at"), at("last_played")}},
	{"rating_changes", "arena_change", "pool = 'human' AND address = $1", "game_no", []column{
		text("pool"), number("game_no"), text("duel"), addr("opponent"), text("outcome"), number("rating_before"),
		number("rating"), number("deviation"), number("volatility"), number("opponent_rating"), at("played_at")}},
	{"opponents", "arena_opponent", "pool = 'human' AND address = $1", "opponent", []column{
		addr("opponent"), number("games"), number("wins"), number("losses"), number("draws"), at("last_played")}},
	{"listings", "market_listing", "seller = $1", "listing_id", listingColumns},
	{"purchases", "market_listing", "buyer = $1", "listing_id", listingColumns},
	{"offers_of_the_house", "buyback_offer", "seller = $1", "offer_id", []column{
		number("offer_id"), number("token_id"), number("tier"), number("price"), text("status"), at("offered_at"),
		at("closed_at"), hash("tx")}},
	// Points are derived from facts; reports are facts that wait to be counted.
	{"facts", "score_fact", "account = $1", "id", []column{
		text("id"), text("kind"), at("at"), text("result"), number("points"), number("season"), number("team"),
		text("entry"), number("day"), number("unranked"),
		number("tier"), number("first"), number("throws"), number("coins"), addr("other")}},
	{"counts", "score_player", "account = $1", "account", []column{document("counts")}},
	{"board_entries", "score_entry", "member = $1", "board", []column{
		number("board"), number("place"), number("value"), text("ref")}},
	{"waiting_reports", "score_inbox", "account = $1 OR other = $1", "id", []column{
		text("kind"), at("posted_at"), document("body")}},
	{"refused_reports", "score_refused", "account = $1 OR other = $1", "id", []column{
		text("kind"), at("posted_at"), document("body"), text("error")}},
	{"team", "team_member", "account = $1", "account", []column{number("team_id"), at("joined_at"), number("seq")}},
	{"founded_teams", "team", "founder = $1", "team_id", []column{
		number("team_id"), text("name"), text("slug"), number("private"), number("members"), at("created_at")}},
	{"daily_balances", "portfolio_coin", "address = $1", "day", []column{
		number("day"), number("changed"), number("balance"), number("inflow")}},
	{"daily_tiers", "portfolio_tier", "address = $1", "day, tier", []column{
		number("day"), number("tier"), number("changed"), number("acquired"), number("disposed"), number("cost"),
		number("proceeds")}},
	{"cost_lots", "portfolio_lot", "address = $1", "tier, n", []column{
		number("tier"), number("n"), number("cost")}},
}

// duelColumns are those of a duel; moves that are not revealed to both sides are left out.
var duelColumns = []column{
	text("code"), text("kind"), text("status"), addr("a"), text("a_name"), addr("b"), text("b_name"), number("stake"),
	number("rated"), text("rounds"), text("winner"), at("created_at"), at("started_at"), at("ended_at"),
}

// listingColumns are those of a listing, for the seller and for the buyer.
var listingColumns = []column{
	number("listing_id"), number("token_id"), number("tier"), number("price"), addr("seller"), addr("buyer"),
	text("status"), at("listed_at"), at("closed_at"), hash("sale_tx"),
}
