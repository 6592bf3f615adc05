-- name: GetAccount :one
SELECT kind, username FROM account WHERE address = $1;

-- Reports ---------------------------------------------------------------------------

-- name: Post :exec
INSERT INTO score_inbox (posted_at, kind, account, other, team, other_team, body, network)
VALUES (sqlc.arg(posted_at), sqlc.arg(kind), sqlc.arg(account), sqlc.narg(other), sqlc.arg(team), 0, sqlc.arg(body),
    sqlc.narg(network));

-- name: PostWithTeams :exec
-- Records the teams that both accounts are in now: points stay with the team.
INSERT INTO score_inbox (posted_at, kind, account, other, team, other_team, body, network)
VALUES (sqlc.arg(posted_at), sqlc.arg(kind), sqlc.arg(account), sqlc.narg(other),
    COALESCE((SELECT m.team_id FROM team_member m WHERE m.account = sqlc.arg(account)), 0),
    COALESCE((SELECT o.team_id FROM team_member o WHERE o.account = sqlc.narg(other)), 0), sqlc.arg(body),
    sqlc.narg(network));

-- name: ListInbox :many
SELECT id, posted_at, kind, account, other, team, other_team, body, network FROM score_inbox
ORDER BY id LIMIT sqlc.arg(count);

-- name: GetStep :one
-- The number of reduce steps stored so far.
SELECT number FROM score_step WHERE id = 1;

-- name: SwapStep :execrows
-- Compare-and-swap: of concurrent steps that read the same number one is stored.
UPDATE score_step SET number = number + 1 WHERE id = 1 AND number = sqlc.arg(expected);

-- name: AdvanceStep :execrows
-- Makes concurrent steps stale.
UPDATE score_step SET number = number + 1 WHERE id = 1;

-- name: OldestReport :one
SELECT CAST(COALESCE(min(posted_at), 0) AS bigint) AS posted_at FROM score_inbox;

-- name: CountReports :one
SELECT count(*) FROM score_inbox;

-- name: ListClosing :many
-- Closed teams whose report is pending.
SELECT team FROM score_inbox WHERE kind = 'team_closed';

-- name: RefuseReport :exec
INSERT INTO score_refused (posted_at, kind, account, other, team, other_team, body, error, refused_at)
SELECT i.posted_at, i.kind, i.account, i.other, i.team, i.other_team, i.body, sqlc.arg(error), sqlc.arg(refused_at)
FROM score_inbox i WHERE i.id = sqlc.arg(id);

-- name: DeleteReport :execrows
DELETE FROM score_inbox WHERE id = $1;

-- name: RequeueRefused :execrows
INSERT INTO score_inbox (posted_at, kind, account, other, team, other_team, body)
SELECT posted_at, kind, account, other, team, other_team, body FROM score_refused ORDER BY id;

-- name: DeleteRefused :execrows
DELETE FROM score_refused;

-- name: CountRefused :one
SELECT count(*) FROM score_refused;

-- name: ListRefused :many
SELECT id, kind, error FROM score_refused ORDER BY id;

-- name: GetPlayer :one
SELECT counts, version FROM score_player WHERE account = $1;

-- Entries: the column place holds the sort key ----------------------------------------

-- name: ListEntriesOf :many
-- The entries of one member on a range of boards: the boards of one kind are adjacent.
SELECT board, place, value, ref FROM score_entry
WHERE member = sqlc.arg(member) AND board >= sqlc.arg(first) AND board <= sqlc.arg(last) ORDER BY board;

-- name: GetEntry :one
SELECT place, value, ref FROM score_entry WHERE member = $1 AND board = $2;

-- name: GetTeam :one
SELECT slug, name FROM team WHERE team_id = $1;

-- name: ListPlayersFrom :many
-- The entries of a board of accounts from a position on, with their names.
SELECT e.member, e.place, e.value, e.ref, a.username, a.kind
FROM score_entry e JOIN account a ON a.address = e.member
WHERE e.board = sqlc.arg(board) AND e.place >= sqlc.arg(place)
    AND (e.place > sqlc.arg(place) OR e.member >= sqlc.arg(member))
ORDER BY e.place, e.member LIMIT sqlc.arg(count);

-- name: ListTeamsFrom :many
-- The entries of a board of teams from a position on, with their names.
SELECT e.member, e.place, e.value, e.ref, t.slug, t.name
FROM score_entry e JOIN team t ON t.team_id = CAST(NULLIF(e.ref, '') AS bigint)
WHERE e.board = sqlc.arg(board) AND e.place >= sqlc.arg(place)
    AND (e.place > sqlc.arg(place) OR e.member >= sqlc.arg(member))
ORDER BY e.place, e.member LIMIT sqlc.arg(count);

-- name: ListTop :many
-- The first entries of any board.
SELECT member, place, value, ref FROM score_entry
WHERE board = sqlc.arg(board) ORDER BY place, member LIMIT sqlc.arg(count);

-- Seasons ---------------------------------------------------------------------------

-- name: LastClosed :one
SELECT CAST(COALESCE(max(season), 0) AS bigint) AS season FROM score_season;

-- name: InsertSeason :exec
INSERT INTO score_season (season, players, raw, hash, tx, closed_at) VALUES ($1, $2, $3, $4, $5, $6);

-- name: GetSeason :one
SELECT season, players, raw, hash, tx, closed_at FROM score_season WHERE season = $1;

-- name: ListSeasons :many
SELECT season, players, hash, tx, closed_at FROM score_season ORDER BY season DESC LIMIT sqlc.arg(count);

-- name: ListSeasonPlaces :many
-- The places of an account on the boards of closed seasons, the newest first; 4 for any beyond the third. Of the
-- entries before it at most three are read. first is the number of a board of seasons that has no season.
SELECT s.season, s.players, s.hash, s.closed_at, CAST(1 + (
    SELECT count(*) FROM (
        SELECT b.member FROM score_entry b
        WHERE b.board = e.board AND b.place <= e.place AND (b.place < e.place OR b.member < e.member) LIMIT 3
    ) AS better) AS bigint) AS place
FROM score_entry e JOIN score_season s ON s.season = e.board - sqlc.arg(first)
WHERE e.member = sqlc.arg(member) AND e.board > sqlc.arg(first) AND e.board <= sqlc.arg(last)
ORDER BY e.board DESC;

-- Feed items ------------------------------------------------------------------------

-- name: InsertFeedItem :one
INSERT INTO score_feed (kind, at, body, account, network) VALUES ($1, $2, $3, $4, $5) RETURNING id;

-- name: FeedNetworks :many
-- The networks of the newest items.
SELECT network FROM score_feed WHERE hidden = '' ORDER BY id DESC LIMIT sqlc.arg(count);

-- name: DropFeedNetworks :exec
UPDATE score_feed SET network = NULL WHERE network IS NOT NULL AND at < sqlc.arg(before);

-- name: ListFeedItems :many
-- With the current names, so that a name that was withdrawn is in no item.
SELECT f.id, f.kind, f.at, f.body, f.account, a.username FROM score_feed f LEFT JOIN account a ON a.address = f.account
WHERE f.id < sqlc.arg(before) AND f.hidden = '' ORDER BY f.id DESC LIMIT sqlc.arg(count);

-- name: SetFeedItemHidden :execrows
UPDATE score_feed SET hidden = sqlc.arg(reason) WHERE id = sqlc.arg(id) AND hidden <> sqlc.arg(reason);

-- name: ListFirsts :many
SELECT tier FROM score_first ORDER BY tier;

-- Old boards ------------------------------------------------------------------------

-- name: DropEntries :execrows
DELETE FROM score_entry WHERE (member, board) IN (
    SELECT e.member, e.board FROM score_entry e
    WHERE e.board >= sqlc.arg(first) AND e.board < sqlc.arg(before) ORDER BY e.board LIMIT sqlc.arg(count));

-- Teams -----------------------------------------------------------------------------

-- name: ListTeamPoints :many
-- The points that each account earned for a team in a season.
SELECT account, CAST(SUM(points) AS bigint) AS points FROM score_fact
WHERE team = sqlc.arg(team) AND season = sqlc.arg(season) AND team > 0 AND aside = 0 GROUP BY account;

-- One account's facts ------------------------------------------------------------

-- name: FactsOf :many
SELECT account, id, kind, at, result, points, season, team, entry, day, unranked, tier, first, throws, coins, aside, other
FROM score_fact WHERE account = sqlc.arg(account) ORDER BY id;

-- name: GetFact :one
SELECT account, id, kind, at, result, points, season, team, entry, day, unranked, tier, first, throws, coins, aside, other
FROM score_fact WHERE account = sqlc.arg(account) AND id = sqlc.arg(id);

-- name: SetVoid :execrows
-- Declares a fact void. It keeps its points where they count for a closed season; elsewhere they become negative,
-- which counts nowhere, until RestoreFact.
UPDATE score_fact SET kind = 'void', points = sqlc.arg(points), season = sqlc.arg(season), team = sqlc.arg(team)
WHERE account = sqlc.arg(account) AND id = sqlc.arg(id) AND kind <> 'void';

-- name: RestoreFact :execrows
-- Takes SetVoid back.
UPDATE score_fact SET kind = sqlc.arg(kind), points = -points, season = -season, team = -team
WHERE account = sqlc.arg(account) AND id = sqlc.arg(id) AND kind = 'void' AND season <= 0;

-- name: TeamSum :one
-- The points of an open team in a season, and when the last ones were earned.
SELECT CAST(COALESCE(SUM(f.points), 0) AS bigint) AS points, CAST(COALESCE(MAX(f.at), 0) AS bigint) AS at
FROM score_fact f JOIN team t ON t.team_id = f.team AND t.members > 0
WHERE f.team = sqlc.arg(team) AND f.season = sqlc.arg(season) AND f.team > 0 AND f.points > 0
    AND f.aside = 0;

-- name: DropHiddenSeasons :exec
-- Takes the points of an account that was on no board out of the seasons that have closed since.
UPDATE score_fact SET season = 0
WHERE account = sqlc.arg(account) AND season > 0 AND season <= sqlc.arg(closed) AND points > 0;

-- name: GetExposure :one
SELECT CAST(COALESCE(l.bound_start, 0) AS bigint) AS bound_start, CAST(COALESCE(l.secured_at, 0) AS bigint) AS secured_at
FROM account a LEFT JOIN ledger_account l ON l.address = a.address WHERE a.address = sqlc.arg(account);

-- Networks ------------------------------------------------------------------------

-- name: SetAside :exec
-- Changes whether the week's board and the team count the points of an account's day. 2 stays: on no board then.
UPDATE score_fact SET aside = sqlc.arg(aside)
WHERE account = sqlc.arg(account) AND at >= sqlc.arg(first) AND at < sqlc.arg(before) AND points <> 0 AND aside < 2;

-- name: ListDayTeams :many
-- The teams and seasons that count the points of an account's day.
SELECT DISTINCT team, season FROM score_fact
WHERE account = sqlc.arg(account) AND at >= sqlc.arg(first) AND at < sqlc.arg(before) AND points <> 0 AND team > 0;

-- name: WeekSum :one
-- The points of an account that the week's board counts, and when the last ones were earned.
SELECT CAST(COALESCE(SUM(points), 0) AS bigint) AS points, CAST(COALESCE(MAX(at), 0) AS bigint) AS at FROM score_fact
WHERE account = sqlc.arg(account) AND at >= sqlc.arg(first) AND at < sqlc.arg(before) AND points <> 0 AND points > 0
    AND aside = 0 AND kind <> 'void';

-- name: ListNetworks :many
SELECT n.account, n.day, n.tag, n.times, n.points, n.at, n.secured, n.best,
    CAST(COALESCE(l.secured_at, 0) AS bigint) AS secured_at
FROM score_network n LEFT JOIN ledger_account l ON l.address = n.account ORDER BY n.day, n.tag, n.account;

-- name: ListCharged :many
-- The points of each account on each day that has networks, and whether any and all of them are left out.
SELECT f.account, CAST(f.at / 86400000 AS bigint) AS day, CAST(SUM(ABS(f.points)) AS bigint) AS points,
    CAST(MAX(f.at) AS bigint) AS at, CAST(MIN(f.aside) AS bigint) AS least, CAST(MAX(f.aside) AS bigint) AS most
FROM score_fact f WHERE f.points <> 0 AND f.aside < 2
    AND EXISTS (SELECT 1 FROM score_network n WHERE n.account = f.account AND n.day = f.at / 86400000)
GROUP BY f.account, f.at / 86400000;

-- name: DropNetworks :execrows
DELETE FROM score_network WHERE day < sqlc.arg(day);

-- name: ListRanked :many
-- The accounts with a bound start that come onto the boards, as they were secured in a span of time.
SELECT l.address FROM ledger_account l JOIN score_player p ON p.account = l.address
WHERE l.bound_start = 1 AND l.secured_at > sqlc.arg(after) AND l.secured_at <= sqlc.arg(until)
    AND p.counts LIKE '%"hidden":1%';

-- Checks ----------------------------------------------------------------------------

-- name: ListFacts :many
-- A page of all facts, by account and id.
SELECT account, id, kind, at, result, points, season, team, entry, day, unranked, tier, first, throws, coins, aside, other
FROM score_fact
WHERE account >= sqlc.arg(account) AND (account > sqlc.arg(account) OR id > sqlc.arg(id))
ORDER BY account, id LIMIT sqlc.arg(count);

-- name: ListEntries :many
-- A page of all entries, by member and board.
SELECT member, board, place, value, ref FROM score_entry
WHERE member >= sqlc.arg(member) AND (member > sqlc.arg(member) OR board > sqlc.arg(board))
ORDER BY member, board LIMIT sqlc.arg(count);

-- name: ListCounts :many
-- A page of the counts of all accounts.
SELECT account, counts FROM score_player WHERE account > sqlc.arg(account) ORDER BY account LIMIT sqlc.arg(count);

-- name: ListTeamSums :many
-- The points of open teams in each season, and when the last ones were earned.
SELECT f.team, f.season, CAST(SUM(f.points) AS bigint) AS points, CAST(MAX(f.at) AS bigint) AS at
FROM score_fact f JOIN team t ON t.team_id = f.team AND t.members > 0
WHERE f.team > 0 AND f.points > 0 AND f.aside = 0 GROUP BY f.team, f.season;

-- name: ListBoundStarts :many
-- The accounts with a bound start, and when they were secured.
SELECT address, secured_at FROM ledger_account WHERE bound_start = 1;
