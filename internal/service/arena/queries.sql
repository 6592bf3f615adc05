-- name: CountGame :one
-- Counts one more game and returns the rating before it. The update locks the player's row
-- until the commit, so concurrent duels of one player change the rating one after the other.
INSERT INTO arena_rating (pool, address, rating, deviation, volatility, games, wins, losses, draws, rivals, standing,
                          last_played)
VALUES (sqlc.arg(pool), sqlc.arg(address), sqlc.arg(rating), sqlc.arg(deviation), sqlc.arg(volatility),
        1, 0, 0, 0, 0, sqlc.arg(rating), sqlc.arg(now))
ON CONFLICT (pool, address) DO UPDATE SET games = arena_rating.games + 1
RETURNING rating, deviation, volatility, games, peak, rivals, standing;

-- name: SetRating :exec
UPDATE arena_rating
SET rating = sqlc.arg(rating), deviation = sqlc.arg(deviation), volatility = sqlc.arg(volatility),
    rivals = sqlc.arg(rivals), standing = sqlc.arg(standing),
    wins = wins + sqlc.arg(won), losses = losses + sqlc.arg(lost), draws = draws + sqlc.arg(drawn),
    last_played = sqlc.arg(now)
WHERE pool = sqlc.arg(pool) AND address = sqlc.arg(address);

-- name: SetPeak :exec
UPDATE arena_rating SET peak = sqlc.arg(peak), peak_at = sqlc.arg(peak_at)
WHERE pool = sqlc.arg(pool) AND address = sqlc.arg(address);

-- name: AddToRecord :one
-- Returns the number of games against the opponent.
INSERT INTO arena_opponent (pool, address, opponent, games, wins, losses, draws, last_played)
VALUES (sqlc.arg(pool), sqlc.arg(address), sqlc.arg(opponent), 1, sqlc.arg(won), sqlc.arg(lost),
        sqlc.arg(drawn), sqlc.arg(now))
ON CONFLICT (pool, address, opponent) DO UPDATE
SET games = arena_opponent.games + 1, wins = arena_opponent.wins + excluded.wins,
    losses = arena_opponent.losses + excluded.losses, draws = arena_opponent.draws + excluded.draws,
    last_played = CASE WHEN excluded.last_played > arena_opponent.last_played THEN excluded.last_played
                  ELSE arena_opponent.last_played END
RETURNING games;

-- name: GetChange :one
-- What a duel changed for a player.
SELECT rating_before, deviation_before, rating, deviation, outcome, played_at FROM arena_change
WHERE duel = sqlc.arg(duel) AND address = sqlc.arg(address) AND outcome NOT IN ('void', 'restored');

-- name: GetVoidChange :one
-- What the correction of a void duel changed for a player.
SELECT rating_before, deviation_before, rating, deviation, peak FROM arena_change
WHERE duel = sqlc.arg(duel) AND address = sqlc.arg(address) AND outcome = 'void';

-- name: TakeBackGame :one
-- Locks the player's row like CountGame, for one more entry of the history.
UPDATE arena_rating SET games = games + 1 WHERE pool = sqlc.arg(pool) AND address = sqlc.arg(address)
RETURNING rating, deviation, volatility, games, peak, peak_at, rivals, standing;

-- name: SetVoided :exec
-- Stores a rating without the change of a void duel, and one result less; of a restored one, with negative counts.
UPDATE arena_rating
SET rating = sqlc.arg(rating), deviation = sqlc.arg(deviation), rivals = sqlc.arg(rivals),
    standing = sqlc.arg(standing), peak = sqlc.narg(peak), wins = wins - sqlc.arg(won), losses = losses - sqlc.arg(lost),
    draws = draws - sqlc.arg(drawn)
WHERE pool = sqlc.arg(pool) AND address = sqlc.arg(address);

-- name: TakeFromRecord :one
-- Returns the number of games against the opponent that are left.
UPDATE arena_opponent
SET games = games - 1, wins = wins - sqlc.arg(won), losses = losses - sqlc.arg(lost), draws = draws - sqlc.arg(drawn)
WHERE pool = sqlc.arg(pool) AND address = sqlc.arg(address) AND opponent = sqlc.arg(opponent)
RETURNING games;

-- name: DropRecord :exec
DELETE FROM arena_opponent
WHERE pool = sqlc.arg(pool) AND address = sqlc.arg(address) AND opponent = sqlc.arg(opponent) AND games = 0;

-- Tables and pages --------------------------------------------------------------------

-- name: Top :many
-- The players of a pool after a position, highest standing first.
SELECT r.address, a.kind, a.username, a.created_at, o.username AS owner,
       cast(CASE WHEN b.hidden_reason = '' THEN b.version ELSE '' END AS TEXT) AS version,
       r.rating, r.deviation, r.volatility, r.games, r.wins, r.losses, r.draws, r.rivals, r.standing, r.peak, r.peak_at, r.last_played
FROM arena_rating r
JOIN account a ON a.address = r.address
LEFT JOIN bot b ON b.address = r.address
LEFT JOIN account o ON o.address = b.owner
WHERE r.pool = sqlc.arg(pool)
  AND (r.standing < sqlc.arg(standing) OR (r.standing = sqlc.arg(standing) AND r.address < sqlc.arg(address)))
  AND r.standing <= sqlc.arg(standing)
ORDER BY r.standing DESC, r.address DESC LIMIT sqlc.arg(count);

-- name: GetStanding :one
-- A player with the rating in a pool, NULL without one.
SELECT a.address, a.kind, a.username, a.created_at, o.username AS owner,
       cast(CASE WHEN b.hidden_reason = '' THEN b.version ELSE '' END AS TEXT) AS version,
       r.rating, r.deviation, r.volatility, r.games, r.wins, r.losses, r.draws, r.rivals, r.standing, r.peak, r.peak_at, r.last_played
FROM account a
LEFT JOIN arena_rating r ON r.address = a.address AND r.pool = sqlc.arg(pool)
LEFT JOIN bot b ON b.address = a.address
LEFT JOIN account o ON o.address = b.owner
WHERE a.address = sqlc.arg(address);

-- name: OwnersBots :many
-- The ratings of an owner's bots that have one.
SELECT r.address, r.rating, r.deviation, r.volatility, r.games, r.wins, r.losses, r.draws, r.rivals, r.standing,
       r.peak, r.peak_at, r.last_played
FROM bot b JOIN arena_rating r ON r.address = b.address AND r.pool = 'bots'
WHERE b.owner = sqlc.arg(owner);

-- name: ListChanges :many
-- A player's rated duels before a number, newest first.
SELECT c.game_no, c.duel, c.opponent, a.username, c.outcome, c.rating_before, c.deviation_before,
       c.rating, c.deviation, c.opponent_rating, c.played_at,
       cast(coalesce((SELECT v.version FROM arena_version v
                      JOIN bot b ON b.address = v.address AND b.hidden_reason = ''
                      WHERE v.address = c.address AND v.after_game < c.game_no
                      ORDER BY v.after_game DESC LIMIT 1), '') AS TEXT) AS version
FROM arena_change c
JOIN account a ON a.address = c.opponent
WHERE c.pool = sqlc.arg(pool) AND c.address = sqlc.arg(address) AND c.game_no < sqlc.arg(before)
ORDER BY c.game_no DESC LIMIT sqlc.arg(count);

-- name: ListOpponents :many
-- A player's opponents after a position, most games first.
SELECT p.opponent, a.username, p.games, p.wins, p.losses, p.draws, p.last_played
FROM arena_opponent p
JOIN account a ON a.address = p.opponent
WHERE p.pool = sqlc.arg(pool) AND p.address = sqlc.arg(address) AND p.games <= sqlc.arg(games)
  AND (p.games < sqlc.arg(games) OR p.opponent < sqlc.arg(opponent))
ORDER BY p.games DESC, p.opponent DESC LIMIT sqlc.arg(count);

-- name: ListPairs :many
-- The records of the players with the highest ratings against one another.
WITH best AS (
    SELECT r.address FROM arena_rating r WHERE r.pool = sqlc.arg(pool)
    ORDER BY r.rating DESC, r.address DESC LIMIT sqlc.arg(count)
)
SELECT p.address, p.opponent, p.games, p.wins, p.losses, p.draws
FROM best x
CROSS JOIN best y
JOIN arena_opponent p ON p.pool = sqlc.arg(pool) AND p.address = x.address AND p.opponent = y.address
ORDER BY p.address, p.opponent;

-- name: NewestVersion :one
-- The number of a bot's rated duels, and its newest version, '' for none.
SELECT cast(coalesce((SELECT r.games FROM arena_rating r
                      WHERE r.pool = 'bots' AND r.address = sqlc.arg(address)), 0) AS BIGINT) AS games,
       cast(coalesce((SELECT v.version FROM arena_version v WHERE v.address = sqlc.arg(address)
                      ORDER BY v.after_game DESC LIMIT 1), '') AS TEXT) AS version;

-- name: SetVersion :exec
-- A version that has played no rated duel is replaced.
INSERT INTO arena_version (address, after_game, version, since)
VALUES (sqlc.arg(address), sqlc.arg(after_game), sqlc.arg(version), sqlc.arg(since))
ON CONFLICT (address, after_game) DO UPDATE SET version = excluded.version, since = excluded.since;

-- name: DropOldVersions :exec
-- All but the newest ones.
DELETE FROM arena_version WHERE arena_version.address = sqlc.arg(address) AND arena_version.after_game NOT IN (
    SELECT v.after_game FROM arena_version v WHERE v.address = sqlc.arg(address)
    ORDER BY v.after_game DESC LIMIT sqlc.arg(keep));

-- name: ForgetVersions :exec
DELETE FROM arena_version WHERE address = sqlc.arg(address);

-- name: ListVersions :many
-- A bot's versions, the newest first, each with the last entry of the rating's history before the next version, which
-- is one of an earlier version when this one has played none.
SELECT v.after_game, v.version, v.since, c.game_no, c.rating, c.deviation
FROM arena_version v
JOIN bot b ON b.address = v.address AND b.hidden_reason = ''
LEFT JOIN arena_change c ON c.pool = 'bots' AND c.address = v.address AND c.game_no = coalesce(
    (SELECT min(w.after_game) FROM arena_version w WHERE w.address = v.address AND w.after_game > v.after_game),
    (SELECT r.games FROM arena_rating r WHERE r.pool = 'bots' AND r.address = v.address))
WHERE v.address = sqlc.arg(address)
ORDER BY v.after_game DESC;

-- name: ChangesBetween :many
-- The changes of all ratings by time: the first ones after a position, that were before a time.
SELECT c.pool, c.address, p.username AS player_name, c.game_no, c.duel, c.opponent,
       o.username AS opponent_name, c.outcome, c.rating_before, c.rating, c.deviation, c.opponent_rating,
       c.played_at,
       cast(coalesce((SELECT v.version FROM arena_version v
                      JOIN bot b ON b.address = v.address AND b.hidden_reason = ''
                      WHERE v.address = c.address AND v.after_game < c.game_no
                      ORDER BY v.after_game DESC LIMIT 1), '') AS TEXT) AS version
FROM arena_change c
JOIN account p ON p.address = c.address
JOIN account o ON o.address = c.opponent
WHERE c.played_at >= cast(sqlc.arg(since) AS BIGINT) AND c.played_at < cast(sqlc.arg(until) AS BIGINT)
  AND (c.played_at > cast(sqlc.arg(since) AS BIGINT) OR c.pool > sqlc.arg(pool)
       OR (c.pool = sqlc.arg(pool) AND (c.address > sqlc.arg(address)
                                        OR (c.address = sqlc.arg(address) AND c.game_no > sqlc.arg(after)))))
ORDER BY c.played_at, c.pool, c.address, c.game_no LIMIT sqlc.arg(count);

-- name: ChangesBetweenOf :many
-- The changes of a player's rating by number, that were before a time.
SELECT c.pool, c.address, p.username AS player_name, c.game_no, c.duel, c.opponent,
       o.username AS opponent_name, c.outcome, c.rating_before, c.rating, c.deviation, c.opponent_rating,
       c.played_at,
       cast(coalesce((SELECT v.version FROM arena_version v
                      JOIN bot b ON b.address = v.address AND b.hidden_reason = ''
                      WHERE v.address = c.address AND v.after_game < c.game_no
                      ORDER BY v.after_game DESC LIMIT 1), '') AS TEXT) AS version
FROM arena_change c
JOIN account p ON p.address = c.address
JOIN account o ON o.address = c.opponent
WHERE c.pool = sqlc.arg(pool) AND c.address = sqlc.arg(address) AND c.game_no > sqlc.arg(after)
  AND c.played_at < cast(sqlc.arg(until) AS BIGINT)
ORDER BY c.game_no LIMIT sqlc.arg(count);

-- name: CountGames :one
SELECT CAST(COALESCE(max(game_no), 0) AS bigint) AS games FROM arena_change
WHERE pool = sqlc.arg(pool) AND address = sqlc.arg(address);

-- name: SampleRatings :many
-- Every step-th of a player's ratings, counted back from the last.
WITH RECURSIVE pick (game_no) AS (
    SELECT CAST(sqlc.arg(last) AS bigint)
    UNION ALL
    SELECT pick.game_no - CAST(sqlc.arg(step) AS bigint) FROM pick WHERE pick.game_no > CAST(sqlc.arg(step) AS bigint)
)
SELECT c.game_no, c.rating, c.deviation, c.played_at,
       cast(coalesce((SELECT v.version FROM arena_version v
                      JOIN bot b ON b.address = v.address AND b.hidden_reason = ''
                      WHERE v.address = c.address AND v.after_game < c.game_no
                      ORDER BY v.after_game DESC LIMIT 1), '') AS TEXT) AS version
FROM pick JOIN arena_change c ON c.game_no = pick.game_no
WHERE c.pool = sqlc.arg(pool) AND c.address = sqlc.arg(address)
ORDER BY c.game_no;

-- name: BrokenHistories :many
-- Players whose stored changes do not lead to their rating or their record.
SELECT r.pool, r.address, r.games
FROM arena_rating r
LEFT JOIN arena_change c ON c.pool = r.pool AND c.address = r.address AND c.game_no = r.games
WHERE c.rating IS NULL OR c.rating <> r.rating OR c.deviation <> r.deviation OR c.volatility <> r.volatility
   OR r.wins + r.losses + r.draws <> (SELECT COALESCE(SUM(CASE WHEN v.outcome = 'void' THEN -1 ELSE 1 END), 0)
                                      FROM arena_change v WHERE v.pool = r.pool AND v.address = r.address)
   OR r.rivals <> (SELECT count(*) FROM arena_opponent p WHERE p.pool = r.pool AND p.address = r.address)
   OR r.standing <> r.rating + CASE WHEN r.deviation <= sqlc.arg(provisional) AND r.rivals >= sqlc.arg(rivals)
                               THEN CAST(sqlc.arg(above) AS BIGINT) ELSE 0 END
   OR r.games <> (SELECT count(*) FROM arena_change h WHERE h.pool = r.pool AND h.address = r.address)
ORDER BY r.pool, r.address LIMIT sqlc.arg(count);

-- The queue ---------------------------------------------------------------------------

-- name: GetBot :one
SELECT owner, rating, last_opponent, since, expires_at, duel, version FROM arena_bot WHERE address = $1;

-- name: GetEntrant :one
-- A bot's owner and rating; no row for other accounts.
SELECT b.owner, r.rating
FROM account a
LEFT JOIN bot b ON b.address = a.address
LEFT JOIN arena_rating r ON r.address = a.address AND r.pool = 'bots'
WHERE a.address = sqlc.arg(address) AND a.kind = 'bot';

-- name: EnterQueue :one
-- Puts a bot into the queue. Returns no row if it is in a duel.
INSERT INTO arena_bot (address, owner, network, charged, rating, since, expires_at, version)
VALUES (sqlc.arg(address), sqlc.narg(owner), sqlc.narg(network), sqlc.narg(charged), sqlc.arg(rating), sqlc.arg(now),
        sqlc.arg(expires_at), 1)
ON CONFLICT (address) DO UPDATE
SET owner = excluded.owner, network = excluded.network, charged = excluded.charged, rating = excluded.rating,
    since = excluded.since, expires_at = excluded.expires_at,
    version = arena_bot.version + 1
WHERE arena_bot.duel IS NULL
RETURNING last_opponent, version;

-- name: ExtendWaiting :execrows
-- Sets a new expiry for a waiting bot; it may be earlier, if the bot has disconnected.
UPDATE arena_bot SET expires_at = sqlc.arg(expires_at) WHERE address = sqlc.arg(address) AND since = sqlc.arg(since);

-- name: LeaveQueue :execrows
UPDATE arena_bot SET since = NULL, network = NULL, charged = NULL, version = version + 1
WHERE address = sqlc.arg(address) AND since IS NOT NULL;

-- name: ExpireWaiting :execrows
-- Removes the bots from the queue that have stopped asking.
UPDATE arena_bot SET since = NULL, network = NULL, charged = NULL, version = version + 1
WHERE since IS NOT NULL AND expires_at <= sqlc.arg(now);

-- name: CountWaiting :one
SELECT count(*) FROM arena_bot WHERE since IS NOT NULL;

-- name: Neighbours :many
-- The waiting outside bots next to a rating, above and below.
SELECT n.address, n.owner, n.network, n.charged, n.rating, n.last_opponent, n.since, n.expires_at, n.version FROM (
    SELECT x.address, x.owner, x.network, x.charged, x.rating, x.last_opponent, x.since, x.expires_at, x.version FROM arena_bot x
    WHERE x.since IS NOT NULL AND x.owner IS NOT NULL AND x.rating >= sqlc.arg(rating) AND x.expires_at > sqlc.arg(now)
    ORDER BY x.rating, x.address LIMIT sqlc.arg(reach)
) AS n
UNION ALL
SELECT m.address, m.owner, m.network, m.charged, m.rating, m.last_opponent, m.since, m.expires_at, m.version FROM (
    SELECT y.address, y.owner, y.network, y.charged, y.rating, y.last_opponent, y.since, y.expires_at, y.version FROM arena_bot y
    WHERE y.since IS NOT NULL AND y.owner IS NOT NULL AND y.rating < sqlc.arg(rating) AND y.expires_at > sqlc.arg(now)
    ORDER BY y.rating DESC, y.address DESC LIMIT sqlc.arg(reach)
) AS m;

-- name: ListWaiting :many
-- All bots in the queue, expired ones included, longest waiting first.
SELECT address, owner, network, charged, rating, last_opponent, since, expires_at, version FROM arena_bot
WHERE since IS NOT NULL
ORDER BY since, address LIMIT sqlc.arg(count);

-- name: Claim :execrows
-- Takes a bot out of the queue for a duel. Of concurrent claims one succeeds.
UPDATE arena_bot SET since = NULL, version = version + 1
WHERE address = sqlc.arg(address) AND version = sqlc.arg(version) AND since IS NOT NULL AND expires_at > sqlc.arg(now);

-- name: AssignDuel :execrows
-- Assigns two claimed bots to a duel.
UPDATE arena_bot SET duel = sqlc.arg(duel), since = NULL, network = NULL, charged = NULL, version = version + 1
WHERE address IN (sqlc.arg(a), sqlc.arg(b)) AND duel IS NULL;

-- name: ReleaseBot :execrows
-- Frees a bot after its ranked duel, and sets its last opponent if there is one.
UPDATE arena_bot SET duel = NULL, last_opponent = COALESCE(sqlc.narg(opponent), last_opponent), version = version + 1
WHERE address = sqlc.arg(address) AND duel = sqlc.arg(duel);

-- name: ClaimHousePairing :execrows
-- A lease on the next duel between house bots: affects no row if the last one was recent.
UPDATE arena_house SET paired_at = sqlc.arg(now), pairings = pairings + 1
WHERE id = 1 AND paired_at <= sqlc.arg(before);

-- name: HousePaired :one
-- When two house bots were last paired with each other, and how often so far.
SELECT paired_at, pairings FROM arena_house WHERE id = 1;

-- name: WaitingSince :one
-- When the longest waiting bot entered the queue; 0 for an empty queue.
SELECT cast(coalesce(min(since), 0) AS BIGINT) FROM arena_bot WHERE since IS NOT NULL;

-- Quick matches of people -------------------------------------------------------------

-- name: GetQuick :one
SELECT rating, last_opponent, since, expires_at, duel
FROM arena_quick WHERE address = $1;

-- name: GetHumanRating :one
SELECT rating FROM arena_rating WHERE pool = 'human' AND address = $1;

-- name: EnterQuick :one
INSERT INTO arena_quick (address, username, kind, charged, rating, since, expires_at, version)
VALUES (sqlc.arg(address), sqlc.arg(username), sqlc.arg(kind), sqlc.narg(charged), sqlc.arg(rating), sqlc.arg(since),
        sqlc.arg(expires_at), 1)
ON CONFLICT (address) DO UPDATE
SET username = excluded.username, kind = excluded.kind, charged = excluded.charged, rating = excluded.rating,
    since = excluded.since, expires_at = excluded.expires_at, duel = NULL, version = arena_quick.version + 1
RETURNING version;

-- name: QuickNeighbours :many
-- The waiting people next to a rating, above and below.
SELECT n.address, n.username, n.kind, n.charged, n.rating, n.last_opponent, n.since, n.version FROM (
    SELECT x.address, x.username, x.kind, x.charged, x.rating, x.last_opponent, x.since, x.version FROM arena_quick x
    WHERE x.since IS NOT NULL AND x.rating >= sqlc.arg(rating) AND x.expires_at > sqlc.arg(now)
    ORDER BY x.rating, x.address LIMIT sqlc.arg(reach)
) AS n
UNION ALL
SELECT m.address, m.username, m.kind, m.charged, m.rating, m.last_opponent, m.since, m.version FROM (
    SELECT y.address, y.username, y.kind, y.charged, y.rating, y.last_opponent, y.since, y.version FROM arena_quick y
    WHERE y.since IS NOT NULL AND y.rating < sqlc.arg(rating) AND y.expires_at > sqlc.arg(now)
    ORDER BY y.rating DESC, y.address DESC LIMIT sqlc.arg(reach)
) AS m;

-- name: CountQuick :one
SELECT count(*) FROM arena_quick WHERE since IS NOT NULL AND expires_at > sqlc.arg(now);

-- name: ClaimQuick :execrows
-- Locks a waiting person for a duel. Of concurrent claims one succeeds.
UPDATE arena_quick SET version = version + 1
WHERE address = sqlc.arg(address) AND version = sqlc.arg(version) AND since IS NOT NULL AND expires_at > sqlc.arg(now);

-- name: AssignQuick :execrows
-- Assigns a waiting person to a duel.
UPDATE arena_quick
SET duel = sqlc.arg(duel), last_opponent = sqlc.arg(last_opponent), since = NULL, charged = NULL,
    version = version + 1
WHERE address = sqlc.arg(address) AND since IS NOT NULL;

-- name: LeaveQuick :execrows
DELETE FROM arena_quick WHERE address = sqlc.arg(address) AND since IS NOT NULL;

-- name: ForgetQuick :exec
-- With the name of its last visit to the queue.
DELETE FROM arena_quick WHERE address = sqlc.arg(address);

-- name: RenameQuick :exec
UPDATE arena_quick SET username = sqlc.arg(username) WHERE address = sqlc.arg(address);

-- name: DropQuick :exec
DELETE FROM arena_quick WHERE since IS NOT NULL AND expires_at <= sqlc.arg(now);
