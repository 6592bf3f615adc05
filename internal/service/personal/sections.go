package personal

// sections are all records of an account, the account itself first, then what only its owner
// and the service know, then the game, which is public. A new table with a column for accounts
// gets a section here, or a reason in the test. The columns leave out secrets, hashes of secrets
// and columns that are the same in every row.
var sections = []section{
	{name: "account", table: "account", where: "address = $1", order: "address",
		columns: []column{
			addr("address"), text("kind"), text("username"), at("created_at"), at("faucet_at"), at("frozen_at"),
			at("deleted_at")}},
	// How the owner signs in, and what the service remembers about it.
	{name: "password", table: "credential", where: "address = $1", order: "address",
		columns: []column{at("changed_at")}},
	{name: "mailboxes", table: "email", where: "address = $1", order: "email_key",
		columns: []column{text("email"), at("verified_at")}},
	{name: "requested_links", table: "magic_link", where: "address = $1", order: "token_hash",
		columns: []column{
			text("kind"), text("email"), at("created_at"), at("expires_at"), at("sent_at"), text("request_id")}},
	{name: "waiting_notices", table: "mail_notice", where: "email IN (SELECT e.email FROM email e WHERE e.address = $1)",
		order: "notice_id",
		columns: []column{
			text("email"), text("kind"), text("username"), text("about"), at("created_at"), at("expires_at")}},
	{name: "sessions", table: "session", where: "address = $1", order: "token_hash",
		columns: []column{at("created_at"), at("seen_at"), at("signed_in_at"), text("agent")}},
	{name: "keys", table: "api_key", where: "address = $1", order: "key_id",
		columns: []column{
			number("key_id"), text("label"), text("prefix"), number("scopes"), at("created_at"), at("used_at"),
			text("used_from"), at("revoked_at"), at("expires_at")}},
	// Bots are accounts of their own; their keys belong to the owner.
	{name: "bots", table: "bot", where: "owner = $1", order: "address",
		columns: []column{
			addr("address"), at("created_at"), text("version"), text("description"), text("hidden_reason")}},
	// What the owner has said of them, also what an operator hides.
	{name: "bot_versions", table: "arena_version", where: "address IN (SELECT b.address FROM bot b WHERE b.owner = $1)",
		order: "address, after_game", columns: []column{
			addr("address"), number("after_game"), text("version"), at("since")}},
	{name: "bot_keys", table: "api_key", where: "address IN (SELECT b.address FROM bot b WHERE b.owner = $1)",
		order: "key_id",
		columns: []column{
			addr("address"), text("label"), text("prefix"), at("created_at"), at("used_at"), text("used_from"),
			at("revoked_at"), at("expires_at")}},
	{name: "known_browsers", table: "known_device", where: "address = $1", order: "device",
		columns: []column{at("seen_at")}},
	{name: "networks", table: "account_network", where: "account = $1", order: "day, tag",
		columns: []column{number("day"), hash("tag"), number("times"), at("until")}},
	// Earlier names: a held one is kept from others for a while.
	{name: "held_names", table: "held_name", where: "address = $1", order: "username_fold",
		columns: []column{text("username_fold"), at("held_until")}},
	{name: "withdrawn_names", table: "held_name", where: "taken_from = $1", order: "username_fold",
		columns: []column{text("username")}},
	{name: "acts_of_operators", table: "operator_log", where: "subject = $1", order: "seq",
		columns: []column{number("seq"), at("at"), text("action"), document("detail")}},
	{name: "renames", table: "account_rename", where: "address = $1", order: "rename_id",
		columns: []column{at("renamed_at")}},
	{name: "stored_answers", table: "idempotency", where: "account = $1", order: "name",
		columns: []column{text("name"), at("created_at")}},

	// The game.
	{name: "balance", table: "ledger_account", where: "address = $1", order: "address",
		columns: []column{text("kind"), number("balance"), number("nonce"), hash("commitment"), hash("commitment_tx")}},
	{name: "tokens", table: "ledger_token", where: "owner = $1", order: "token_id",
		columns: []column{number("token_id"), number("tier"), text("run_id"), number("locked")}},
	{name: "next_commitment", table: "run_commitment", where: "account = $1", order: "account",
		columns: []column{hash("commitment")}},
	{name: "runs", table: "run", where: "account = $1", order: "id",
		columns: []column{
			text("id"), text("status"), text("entry"), text("client_seed"), hash("commitment"), number("first_tier"),
			number("cleared"), number("throws"), text("transcript"), number("token_id"), at("started_at"), at("ended_at")}},
	// An account plays each duel as one of the sides; each side has an index.
	{name: "duels_as_a", table: "duel", where: "a = $1", order: "seq", columns: duelColumns},
	{name: "duels_as_b", table: "duel", where: "b = $1", order: "seq", columns: duelColumns},
	{name: "challenges", table: "duel", where: "invited = $1", order: "seq", columns: duelColumns},
	{name: "past_opponents", table: "duel_opponent", where: "account = $1", order: "opponent",
		columns: []column{
			addr("opponent"), number("wins"), number("losses"), number("draws"), at("played_at"), number("blocked")}},
	// The last challenges of the last two days.
	{name: "last_challenges", table: "duel_challenger", where: "account = $1", order: "opponent",
		columns: []column{addr("opponent"), at("at")}},
	{name: "challenge_setting", table: "duel_setting", where: "account = $1", order: "account",
		columns: []column{text("takes"), number("quiet_from"), number("quiet_to")}},
	{name: "rated_pairs_low", table: "duel_pair", where: "low = $1", order: "day, high",
		columns: []column{addr("low"), addr("high"), number("day"), number("rated")}},
	{name: "rated_pairs_high", table: "duel_pair", where: "high = $1", order: "day, low",
		columns: []column{addr("low"), addr("high"), number("day"), number("rated")}},
	{name: "cups", table: "cup_player", where: "address = $1", order: "cup",
		columns: []column{number("cup"), at("joined_at"), number("active"), number("place")}},
	{name: "removed_from_cups", table: "cup_removed", where: "account = $1", order: "cup",
		columns: []column{number("cup")}},
	{name: "hosted_cups", table: "cup", where: "creator = $1", order: "id",
		columns: []column{
			number("id"), text("name"), text("hidden_reason"), text("status"), at("created_at"), at("ended_at")}},
	// Bots are accounts of their own: their ratings are public under their names.
	{name: "ratings", table: "arena_rating", where: "pool = 'human' AND address = $1", order: "address",
		columns: []column{
			text("pool"), number("rating"), number("deviation"), number("volatility"), number("games"), number("wins"),
			number("losses"), number("draws"), number("peak"), at("peak_at"), at("last_played")}},
	{name: "rating_changes", table: "arena_change", where: "pool = 'human' AND address = $1", order: "game_no",
		columns: []column{
			text("pool"), number("game_no"), text("duel"), addr("opponent"), text("outcome"), number("rating_before"),
			number("rating"), number("deviation"), number("volatility"), number("opponent_rating"), at("played_at")}},
	{name: "opponents", table: "arena_opponent", where: "pool = 'human' AND address = $1", order: "opponent",
		columns: []column{
			addr("opponent"), number("games"), number("wins"), number("losses"), number("draws"), at("last_played")}},
	{name: "listings", table: "market_listing", where: "seller = $1", order: "listing_id", columns: listingColumns},
	{name: "purchases", table: "market_listing", where: "buyer = $1", order: "listing_id", columns: listingColumns},
	{name: "offers_of_the_house", table: "buyback_offer", where: "seller = $1", order: "offer_id",
		columns: []column{
			number("offer_id"), number("token_id"), number("tier"), number("price"), text("status"), at("offered_at"),
			at("closed_at"), hash("tx")}},
	// Points are derived from facts; reports are facts that wait to be counted.
	{name: "facts", table: "score_fact", where: "account = $1", order: "id",
		columns: []column{
			text("id"), text("kind"), at("at"), text("result"), number("points"), number("season"), number("team"),
			text("entry"), number("day"), number("unranked"),
			number("tier"), number("first"), number("throws"), number("coins"), number("aside"),
			addr("other")}},
	{name: "points_by_network", table: "score_network", where: "account = $1", order: "day, tag",
		columns: []column{
			number("day"), hash("tag"), number("times"), number("points"), at("at"), number("secured"), number("best")}},
	{name: "counts", table: "score_player", where: "account = $1", order: "account",
		columns: []column{document("counts")}},
	{name: "board_entries", table: "score_entry", where: "member = $1", order: "board",
		columns: []column{number("board"), number("place"), number("value"), text("ref")}},
	{name: "waiting_reports", table: "score_inbox", where: "account = $1 OR other = $1", order: "id",
		columns: []column{text("kind"), at("posted_at"), document("body")}},
	{name: "refused_reports", table: "score_refused", where: "account = $1 OR other = $1", order: "id",
		columns: []column{text("kind"), at("posted_at"), document("body"), text("error")}},
	{name: "team", table: "team_member", where: "account = $1", order: "account",
		columns: []column{number("team_id"), at("joined_at"), number("seq")}},
	{name: "founded_teams", table: "team", where: "founder = $1", order: "team_id",
		columns: []column{
			number("team_id"), text("name"), text("slug"), number("private"), number("members"), at("created_at"),
			text("hidden_name"), text("hidden_reason")}},
	{name: "daily_balances", table: "portfolio_coin", where: "address = $1", order: "day",
		columns: []column{number("day"), number("changed"), number("balance"), number("inflow")}},
	{name: "daily_tiers", table: "portfolio_tier", where: "address = $1", order: "day, tier",
		columns: []column{
			number("day"), number("tier"), number("changed"), number("acquired"), number("disposed"), number("cost"),
			number("proceeds")}},
	{name: "cost_lots", table: "portfolio_lot", where: "address = $1", order: "tier, n",
		columns: []column{number("tier"), number("n"), number("cost")}},
}

// duelColumns are the columns of a duel; moves that are not revealed to both sides are left out.
var duelColumns = []column{
	text("code"), text("kind"), text("status"), addr("a"), text("a_name"), addr("b"), text("b_name"), number("stake"),
	number("rated"), text("rounds"), text("winner"), at("created_at"), at("started_at"), at("ended_at"),
}

// listingColumns are the columns of a listing, for the seller and for the buyer.
var listingColumns = []column{
	number("listing_id"), number("token_id"), number("tier"), number("price"), addr("seller"), addr("buyer"),
	text("status"), at("listed_at"), at("closed_at"), hash("sale_tx"),
}
