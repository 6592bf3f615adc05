-- name: InsertDuel :one
-- Returns no row if the code is taken.
INSERT INTO duel (code, kind, status, a, a_name, a_kind, b, b_name, b_kind, stake, rated, rounds,
                  commitment_a, commitment_b, deadline, winner, created_at, started_at, version, listed,
                  rematch_of, rematch_by, rematch_until, rematch, network, invited, invited_name, series_a, series_b,
                  step_ms)
VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18, $19, $20, $21, '', 0, '', $22,
        $23, $24, $25, $26, $27)
ON CONFLICT (code) DO NOTHING
RETURNING seq;

-- name: GetDuel :one
SELECT seq, code, kind, status, a, a_name, a_kind, b, b_name, b_kind, stake, rated, rounds,
       commitment_a, commitment_b, reveal_a, reveal_b, deadline, winner, created_at, started_at, ended_at,
       stake_a_tx, stake_b_tx, settle_tx, version, listed, rematch_of, rematch_by, rematch_until, rematch, network,
       invited, invited_name, series_a, series_b, step_ms
FROM duel WHERE code = $1;

-- name: SetStakes :exec
-- Runs in the transaction that inserts the duel.
UPDATE duel SET stake_a_tx = sqlc.narg(stake_a_tx), stake_b_tx = sqlc.narg(stake_b_tx) WHERE seq = sqlc.arg(seq);

-- name: SetRematch :execrows
-- Stores the offer of a rematch, or the code of the rematch that began. A compare-and-swap:
-- of two concurrent acceptances one begins a duel.
UPDATE duel
SET rematch_by = sqlc.arg(rematch_by), rematch_until = sqlc.arg(rematch_until), rematch = sqlc.arg(rematch),
    version = version + 1
WHERE seq = sqlc.arg(seq) AND version = sqlc.arg(version);

-- name: StepDuel :execrows
-- A compare-and-swap on the version: of two concurrent steps exactly one succeeds.
UPDATE duel
SET rounds = sqlc.arg(rounds), commitment_a = sqlc.narg(commitment_a), commitment_b = sqlc.narg(commitment_b),
    reveal_a = sqlc.narg(reveal_a), reveal_b = sqlc.narg(reveal_b), deadline = sqlc.arg(deadline),
    version = version + 1
WHERE seq = sqlc.arg(seq) AND version = sqlc.arg(version);

-- name: JoinDuel :execrows
UPDATE duel
SET status = sqlc.arg(status), b = sqlc.narg(b), b_name = sqlc.arg(b_name), b_kind = sqlc.arg(b_kind),
    rated = sqlc.arg(rated), deadline = sqlc.arg(deadline), started_at = sqlc.narg(started_at),
    stake_a_tx = sqlc.narg(stake_a_tx), stake_b_tx = sqlc.narg(stake_b_tx), invited = NULL, invited_name = '',
    network = CASE WHEN listed = 1 THEN network END, version = version + 1
WHERE seq = sqlc.arg(seq) AND version = sqlc.arg(version);

-- name: EndDuel :execrows
-- What is in no list is charged to no network: DropNetworks would not find it.
UPDATE duel
SET status = sqlc.arg(status), rounds = sqlc.arg(rounds), commitment_a = NULL, commitment_b = NULL,
    reveal_a = NULL, reveal_b = NULL, deadline = sqlc.arg(deadline), winner = sqlc.arg(winner), rated = sqlc.arg(rated),
    listed = sqlc.arg(listed), network = CASE WHEN cast(sqlc.arg(listed) AS BIGINT) = 1 THEN network END,
    ended_at = sqlc.narg(ended_at), settle_tx = sqlc.narg(settle_tx), invited = NULL, invited_name = '',
    version = version + 1
WHERE seq = sqlc.arg(seq) AND version = sqlc.arg(version);

-- name: CountRated :execrows
-- Affects one row if the day's limit allows another rated duel, otherwise none.
INSERT INTO duel_pair (low, high, day, rated) VALUES (sqlc.arg(low), sqlc.arg(high), sqlc.arg(day), 1)
ON CONFLICT (low, high, day) DO UPDATE SET rated = duel_pair.rated + 1
WHERE duel_pair.rated < cast(sqlc.arg(most) AS BIGINT);

-- name: GetRated :one
-- The number of rated duels of two players on a day.
SELECT cast(coalesce(max(rated), 0) AS BIGINT) FROM duel_pair
WHERE low = sqlc.arg(low) AND high = sqlc.arg(high) AND day = sqlc.arg(day);

-- name: SumStakes :one
-- The coins that an account has in the escrows of unfinished duels. The stakes of an unlisted
-- duel move when it begins.
SELECT cast(COALESCE((SELECT sum(x.stake) FROM duel x WHERE x.a = sqlc.arg(account) AND x.ended_at IS NULL
                        AND x.stake_a_tx IS NOT NULL), 0)
          + COALESCE((SELECT sum(y.stake) FROM duel y
                      WHERE y.b = sqlc.arg(account) AND y.ended_at IS NULL), 0) AS BIGINT);

-- name: DropPairs :exec
DELETE FROM duel_pair WHERE day < sqlc.arg(day);

-- name: CountUnfinished :one
SELECT cast((SELECT count(*) FROM duel x WHERE x.a = sqlc.arg(account) AND x.ended_at IS NULL)
          + (SELECT count(*) FROM duel y WHERE y.b = sqlc.arg(account) AND y.ended_at IS NULL) AS BIGINT);

-- name: UnfinishedOf :many
-- An account's unfinished duels of one status, newest first.
SELECT d.seq, d.code, d.kind, d.status, d.a, d.a_name, d.a_kind, d.b, d.b_name, d.b_kind, d.stake, d.rated, d.rounds,
       d.commitment_a, d.commitment_b, d.reveal_a, d.reveal_b, d.deadline, d.winner, d.created_at,
       d.started_at, d.ended_at, d.stake_a_tx, d.stake_b_tx, d.settle_tx, d.version,
       d.listed, d.rematch_of, d.rematch_by, d.rematch_until, d.rematch, d.network,
       d.invited, d.invited_name, d.series_a, d.series_b, d.step_ms
FROM duel d
WHERE d.seq IN (
    SELECT x.seq FROM duel x WHERE x.a = sqlc.arg(account) AND x.ended_at IS NULL AND x.status = sqlc.arg(status)
    UNION ALL
    SELECT y.seq FROM duel y WHERE y.b = sqlc.arg(account) AND y.ended_at IS NULL AND y.status = sqlc.arg(status))
  AND d.seq < sqlc.arg(before)
ORDER BY d.seq DESC LIMIT sqlc.arg(count);

-- name: UnfinishedRanked :many
-- At most one, unless two nodes have started one concurrently.
SELECT d.seq, d.code, d.kind, d.status, d.a, d.a_name, d.a_kind, d.b, d.b_name, d.b_kind, d.stake, d.rated, d.rounds,
       d.commitment_a, d.commitment_b, d.reveal_a, d.reveal_b, d.deadline, d.winner, d.created_at,
       d.started_at, d.ended_at, d.stake_a_tx, d.stake_b_tx, d.settle_tx, d.version,
       d.listed, d.rematch_of, d.rematch_by, d.rematch_until, d.rematch, d.network,
       d.invited, d.invited_name, d.series_a, d.series_b, d.step_ms
FROM duel d
WHERE d.seq IN (
    SELECT x.seq FROM duel x WHERE x.a = sqlc.arg(account) AND x.ended_at IS NULL
    UNION ALL SELECT y.seq FROM duel y WHERE y.b = sqlc.arg(account) AND y.ended_at IS NULL)
  AND d.kind = 'ranked'
ORDER BY d.seq DESC;

-- name: ListDuels :many
-- Without those that found no opponent, and with the shares of ListByStatus.
SELECT d.seq, d.code, d.kind, d.status, d.a, d.a_name, d.a_kind, d.b, d.b_name, d.b_kind, d.stake, d.rated, d.rounds,
       d.commitment_a, d.commitment_b, d.reveal_a, d.reveal_b, d.deadline, d.winner, d.created_at,
       d.started_at, d.ended_at, d.stake_a_tx, d.stake_b_tx, d.settle_tx, d.version,
       d.listed, d.rematch_of, d.rematch_by, d.rematch_until, d.rematch, d.network,
       d.invited, d.invited_name, d.series_a, d.series_b, d.step_ms
FROM duel d
WHERE d.listed = 1 AND d.status IN ('open', 'active', 'finished') AND d.seq < sqlc.arg(before)
  AND (d.network IS NULL OR (
      SELECT x.seq FROM duel x
      WHERE substr(x.network, 1, 8) IN (substr(d.network, 1, 8), substr(d.network, 9, 8)) AND x.status = d.status AND x.seq > d.seq
        AND x.listed = 1 AND x.network IS NOT NULL
      LIMIT 1 OFFSET 2) IS NULL)
  AND (d.network IS NULL OR length(d.network) < 32 OR (
      SELECT y.seq FROM duel y
      WHERE substr(y.network, 17, 8) IN (substr(d.network, 17, 8), substr(d.network, 25, 8)) AND y.status = d.status AND y.seq > d.seq
        AND y.listed = 1 AND length(y.network) = 32
      LIMIT 1 OFFSET 4) IS NULL)
ORDER BY d.seq DESC LIMIT sqlc.arg(count);

-- name: ListByStatus :many
-- Without those beyond the shares of their networks: of an address or /64 the newest 3, of a /48 the newest 5. A
-- network's newer duels have its hash of the day or of the next one.
SELECT d.seq, d.code, d.kind, d.status, d.a, d.a_name, d.a_kind, d.b, d.b_name, d.b_kind, d.stake, d.rated, d.rounds,
       d.commitment_a, d.commitment_b, d.reveal_a, d.reveal_b, d.deadline, d.winner, d.created_at,
       d.started_at, d.ended_at, d.stake_a_tx, d.stake_b_tx, d.settle_tx, d.version,
       d.listed, d.rematch_of, d.rematch_by, d.rematch_until, d.rematch, d.network,
       d.invited, d.invited_name, d.series_a, d.series_b, d.step_ms
FROM duel d
WHERE d.listed = 1 AND d.status = sqlc.arg(status) AND d.seq < sqlc.arg(before)
  AND (d.network IS NULL OR (
      SELECT x.seq FROM duel x
      WHERE substr(x.network, 1, 8) IN (substr(d.network, 1, 8), substr(d.network, 9, 8)) AND x.status = sqlc.arg(status) AND x.seq > d.seq
        AND x.listed = 1 AND x.network IS NOT NULL
      LIMIT 1 OFFSET 2) IS NULL)
  AND (d.network IS NULL OR length(d.network) < 32 OR (
      SELECT y.seq FROM duel y
      WHERE substr(y.network, 17, 8) IN (substr(d.network, 17, 8), substr(d.network, 25, 8)) AND y.status = sqlc.arg(status) AND y.seq > d.seq
        AND y.listed = 1 AND length(y.network) = 32
      LIMIT 1 OFFSET 4) IS NULL)
ORDER BY d.seq DESC LIMIT sqlc.arg(count);

-- name: HideResults :exec
-- Takes the result before the 3 newest of an address or /64 from the lists, and that before the 5 newest of a /48.
UPDATE duel SET listed = 0, network = NULL
WHERE seq IN (
    SELECT n.seq FROM (
        SELECT x.seq FROM duel x
        WHERE substr(x.network, 1, 8) = sqlc.arg(narrow) AND x.status = 'finished' AND x.listed = 1
          AND x.network IS NOT NULL
        ORDER BY x.seq DESC LIMIT 1 OFFSET 3) AS n
    UNION ALL
    SELECT w.seq FROM (
        SELECT y.seq FROM duel y
        WHERE substr(y.network, 17, 8) = sqlc.narg(wide) AND y.status = 'finished' AND y.listed = 1
          AND length(y.network) = 32
        ORDER BY y.seq DESC LIMIT 1 OFFSET 5) AS w);

-- name: HideBeyondShares :exec
-- Takes the results beyond the shares of ListByStatus, whose tags DropNetworks is to delete, from the lists. The first
-- comparison is that of DropNetworks.
UPDATE duel SET listed = 0, network = NULL
WHERE seq IN (
    SELECT d.seq FROM duel d
    WHERE d.listed = 1 AND d.network IS NOT NULL AND substr(d.network, 1, 8) > '' AND d.status = 'finished'
      AND d.created_at < sqlc.arg(before)
      AND ((
          SELECT x.seq FROM duel x
          WHERE substr(x.network, 1, 8) IN (substr(d.network, 1, 8), substr(d.network, 9, 8)) AND x.status = 'finished'
            AND x.seq > d.seq AND x.listed = 1 AND x.network IS NOT NULL
          LIMIT 1 OFFSET 2) IS NOT NULL
        OR length(d.network) = 32 AND (
          SELECT y.seq FROM duel y
          WHERE substr(y.network, 17, 8) IN (substr(d.network, 17, 8), substr(d.network, 25, 8))
            AND y.status = 'finished' AND y.seq > d.seq AND y.listed = 1 AND length(y.network) = 32
          LIMIT 1 OFFSET 4) IS NOT NULL));

-- name: DropNetworks :exec
-- The comparison, which is always true, makes SQLite read the short index duel_network.
UPDATE duel SET network = NULL
WHERE listed = 1 AND network IS NOT NULL AND substr(network, 1, 8) > '' AND created_at < sqlc.arg(before);

-- name: ListOf :many
-- An account's duels: the newest ones from each side's index, merged.
SELECT d.seq, d.code, d.kind, d.status, d.a, d.a_name, d.a_kind, d.b, d.b_name, d.b_kind, d.stake, d.rated, d.rounds,
       d.commitment_a, d.commitment_b, d.reveal_a, d.reveal_b, d.deadline, d.winner, d.created_at,
       d.started_at, d.ended_at, d.stake_a_tx, d.stake_b_tx, d.settle_tx, d.version,
       d.listed, d.rematch_of, d.rematch_by, d.rematch_until, d.rematch, d.network,
       d.invited, d.invited_name, d.series_a, d.series_b, d.step_ms
FROM duel d
WHERE d.seq IN (
    SELECT s.seq FROM (SELECT x.seq FROM duel x WHERE x.a = sqlc.arg(account) AND x.seq < sqlc.arg(before)
                       ORDER BY x.seq DESC LIMIT sqlc.arg(count)) s
    UNION ALL
    SELECT t.seq FROM (SELECT y.seq FROM duel y WHERE y.b = sqlc.arg(account) AND y.seq < sqlc.arg(before)
                       ORDER BY y.seq DESC LIMIT sqlc.arg(count)) t)
ORDER BY d.seq DESC LIMIT sqlc.arg(count);

-- name: FinishedOf :many
-- ListOf for finished duels.
SELECT d.seq, d.code, d.kind, d.status, d.a, d.a_name, d.a_kind, d.b, d.b_name, d.b_kind, d.stake, d.rated, d.rounds,
       d.commitment_a, d.commitment_b, d.reveal_a, d.reveal_b, d.deadline, d.winner, d.created_at,
       d.started_at, d.ended_at, d.stake_a_tx, d.stake_b_tx, d.settle_tx, d.version,
       d.listed, d.rematch_of, d.rematch_by, d.rematch_until, d.rematch, d.network,
       d.invited, d.invited_name, d.series_a, d.series_b, d.step_ms
FROM duel d
WHERE d.seq IN (
    SELECT s.seq FROM (SELECT x.seq FROM duel x WHERE x.a = sqlc.arg(account) AND x.seq < sqlc.arg(before)
                       AND x.status = 'finished' ORDER BY x.seq DESC LIMIT sqlc.arg(count)) s
    UNION ALL
    SELECT t.seq FROM (SELECT y.seq FROM duel y WHERE y.b = sqlc.arg(account) AND y.seq < sqlc.arg(before)
                       AND y.status = 'finished' ORDER BY y.seq DESC LIMIT sqlc.arg(count)) t)
ORDER BY d.seq DESC LIMIT sqlc.arg(count);

-- name: FinishedBetween :many
-- The finished duels that lists or ratings show, by their end: the first ones after a position, that ended before a time.
SELECT d.seq, d.code, d.kind, d.status, d.a, d.a_name, d.a_kind, d.b, d.b_name, d.b_kind, d.stake, d.rated, d.rounds,
       d.commitment_a, d.commitment_b, d.reveal_a, d.reveal_b, d.deadline, d.winner, d.created_at,
       d.started_at, d.ended_at, d.stake_a_tx, d.stake_b_tx, d.settle_tx, d.version,
       d.listed, d.rematch_of, d.rematch_by, d.rematch_until, d.rematch, d.network,
       d.invited, d.invited_name, d.series_a, d.series_b, d.step_ms
FROM duel d
WHERE d.status = 'finished' AND (d.rated = 1 OR d.listed = 1)
  AND d.ended_at >= cast(sqlc.arg(since) AS BIGINT) AND (d.ended_at > cast(sqlc.arg(since) AS BIGINT) OR d.seq > sqlc.arg(after))
  AND d.ended_at < cast(sqlc.arg(until) AS BIGINT)
ORDER BY d.ended_at, d.seq LIMIT sqlc.arg(count);

-- name: FinishedBetweenOf :many
-- FinishedBetween for an account: from each side's index, merged.
SELECT d.seq, d.code, d.kind, d.status, d.a, d.a_name, d.a_kind, d.b, d.b_name, d.b_kind, d.stake, d.rated, d.rounds,
       d.commitment_a, d.commitment_b, d.reveal_a, d.reveal_b, d.deadline, d.winner, d.created_at,
       d.started_at, d.ended_at, d.stake_a_tx, d.stake_b_tx, d.settle_tx, d.version,
       d.listed, d.rematch_of, d.rematch_by, d.rematch_until, d.rematch, d.network,
       d.invited, d.invited_name, d.series_a, d.series_b, d.step_ms
FROM duel d
WHERE d.seq IN (
    SELECT s.seq FROM (SELECT x.seq FROM duel x WHERE x.a = sqlc.arg(account) AND x.status = 'finished' AND (x.rated = 1 OR x.listed = 1)
                       AND x.ended_at >= cast(sqlc.arg(since) AS BIGINT) AND (x.ended_at > cast(sqlc.arg(since) AS BIGINT) OR x.seq > sqlc.arg(after))
                       AND x.ended_at < cast(sqlc.arg(until) AS BIGINT)
                       ORDER BY x.ended_at, x.seq LIMIT sqlc.arg(count)) s
    UNION ALL
    SELECT t.seq FROM (SELECT y.seq FROM duel y WHERE y.b = sqlc.arg(account) AND y.status = 'finished' AND (y.rated = 1 OR y.listed = 1)
                       AND y.ended_at >= cast(sqlc.arg(since) AS BIGINT) AND (y.ended_at > cast(sqlc.arg(since) AS BIGINT) OR y.seq > sqlc.arg(after))
                       AND y.ended_at < cast(sqlc.arg(until) AS BIGINT)
                       ORDER BY y.ended_at, y.seq LIMIT sqlc.arg(count)) t)
ORDER BY d.ended_at, d.seq LIMIT sqlc.arg(count);

-- name: ListChallenges :many
-- The open duels that are for an account alone, newest first.
SELECT d.seq, d.code, d.kind, d.status, d.a, d.a_name, d.a_kind, d.b, d.b_name, d.b_kind, d.stake, d.rated, d.rounds,
       d.commitment_a, d.commitment_b, d.reveal_a, d.reveal_b, d.deadline, d.winner, d.created_at,
       d.started_at, d.ended_at, d.stake_a_tx, d.stake_b_tx, d.settle_tx, d.version,
       d.listed, d.rematch_of, d.rematch_by, d.rematch_until, d.rematch, d.network,
       d.invited, d.invited_name, d.series_a, d.series_b, d.step_ms
FROM duel d
WHERE d.invited = sqlc.arg(account) AND d.seq < sqlc.arg(before)
ORDER BY d.seq DESC LIMIT sqlc.arg(count);

-- name: DueDuels :many
SELECT code FROM duel WHERE ended_at IS NULL AND deadline <= sqlc.arg(now) ORDER BY deadline;

-- name: NextDeadline :one
SELECT cast(coalesce(min(deadline), 0) AS BIGINT) FROM duel WHERE ended_at IS NULL;

-- name: CountUnderWay :one
SELECT count(*) FROM duel WHERE ended_at IS NULL;

-- name: RenameSideA :exec
-- The version rises, so that no cache keeps the former name.
UPDATE duel SET a_name = sqlc.arg(name), version = version + 1 WHERE a = sqlc.arg(account);

-- name: RenameSideB :exec
UPDATE duel SET b_name = sqlc.arg(name), version = version + 1 WHERE b = sqlc.arg(account);

-- name: RenameInvited :exec
UPDATE duel SET invited_name = sqlc.arg(name), version = version + 1 WHERE invited = sqlc.arg(account);

-- name: CountChallenges :one
-- The open challenges of an account, those between it and the opponent, of either, and those that the opponent has,
-- also of one address or /64, and of one /48. Then the accounts that have challenged the opponent since a time,
-- likewise.
SELECT cast((SELECT count(*) FROM duel x
             WHERE x.a = sqlc.arg(account) AND x.ended_at IS NULL AND x.invited IS NOT NULL) AS BIGINT) AS mine,
       cast((SELECT count(*) FROM duel y WHERE y.invited = sqlc.arg(opponent) AND y.a = sqlc.arg(account))
          + (SELECT count(*) FROM duel z WHERE z.invited = sqlc.arg(account) AND z.a = sqlc.arg(opponent))
            AS BIGINT) AS paired,
       cast((SELECT count(*) FROM duel w WHERE w.invited = sqlc.arg(opponent)) AS BIGINT) AS waiting,
       cast((SELECT count(*) FROM duel n WHERE n.invited = sqlc.arg(opponent)
             AND (substr(n.network, 1, 8) = sqlc.narg(narrow) OR substr(n.network, 9, 8) = sqlc.narg(narrow)))
            AS BIGINT) AS near,
       cast((SELECT count(*) FROM duel v WHERE v.invited = sqlc.arg(opponent)
             AND (substr(v.network, 17, 8) = sqlc.narg(wide) OR substr(v.network, 25, 8) = sqlc.narg(wide)))
            AS BIGINT) AS around,
       cast((SELECT count(*) FROM duel_challenger r WHERE r.opponent = sqlc.arg(opponent) AND r.at > sqlc.arg(since))
            AS BIGINT) AS lately,
       cast((SELECT count(*) FROM duel_challenger s WHERE s.opponent = sqlc.arg(opponent) AND s.at > sqlc.arg(since)
             AND (substr(s.network, 1, 8) = sqlc.narg(narrow) OR substr(s.network, 9, 8) = sqlc.narg(narrow)))
            AS BIGINT) AS lately_near,
       cast((SELECT count(*) FROM duel_challenger t WHERE t.opponent = sqlc.arg(opponent) AND t.at > sqlc.arg(since)
             AND (substr(t.network, 17, 8) = sqlc.narg(wide) OR substr(t.network, 25, 8) = sqlc.narg(wide)))
            AS BIGINT) AS lately_around;

-- name: NoteChallenge :execrows
-- Affects one row if the account may challenge the opponent again, otherwise none.
INSERT INTO duel_challenger (account, opponent, at, network)
VALUES (sqlc.arg(account), sqlc.arg(opponent), sqlc.arg(at), sqlc.narg(network))
ON CONFLICT (account, opponent) DO UPDATE SET at = excluded.at, network = excluded.network
WHERE duel_challenger.at <= cast(sqlc.arg(latest) AS BIGINT);

-- name: DropChallenges :exec
DELETE FROM duel_challenger WHERE at < sqlc.arg(before);

-- name: ForgetChallenges :exec
DELETE FROM duel_challenger WHERE account = sqlc.arg(account) OR opponent = sqlc.arg(account);

-- name: GetChallenged :one
-- What an account has chosen about challenges, and its row of an opponent: always one row.
SELECT s.takes, s.quiet_from, s.quiet_to, o.played_at, o.blocked
FROM (SELECT 1 AS one) AS x
LEFT JOIN duel_setting s ON s.account = sqlc.arg(account)
LEFT JOIN duel_opponent o ON o.account = sqlc.arg(account) AND o.opponent = sqlc.arg(opponent);

-- name: GetSetting :one
SELECT takes, quiet_from, quiet_to FROM duel_setting WHERE account = $1;

-- name: SetSetting :exec
INSERT INTO duel_setting (account, takes, quiet_from, quiet_to)
VALUES (sqlc.arg(account), sqlc.arg(takes), sqlc.narg(quiet_from), sqlc.narg(quiet_to))
ON CONFLICT (account) DO UPDATE
SET takes = excluded.takes, quiet_from = excluded.quiet_from, quiet_to = excluded.quiet_to;

-- name: ForgetSetting :exec
DELETE FROM duel_setting WHERE account = $1;

-- name: AddMeeting :exec
-- Adds the result of a finished duel, from the side of an account. A deleted account, whose duels in play go on, gets
-- no row: its deletion has deleted them.
INSERT INTO duel_opponent (account, opponent, wins, losses, draws, played_at, blocked)
SELECT sqlc.arg(account), sqlc.arg(opponent), sqlc.arg(wins), sqlc.arg(losses), sqlc.arg(draws), sqlc.arg(played_at), 0
WHERE NOT EXISTS (SELECT 1 FROM account a WHERE a.address = sqlc.arg(account) AND a.deleted_at IS NOT NULL)
ON CONFLICT (account, opponent) DO UPDATE
SET wins = duel_opponent.wins + excluded.wins, losses = duel_opponent.losses + excluded.losses,
    draws = duel_opponent.draws + excluded.draws, played_at = excluded.played_at;

-- name: ListOpponents :many
-- The last played first, without deleted accounts: also those that the account blocks and has not played.
SELECT o.opponent, coalesce(a.username, '') AS username, o.wins, o.losses, o.draws, o.played_at, o.blocked
FROM duel_opponent o LEFT JOIN account a ON a.address = o.opponent
WHERE o.account = sqlc.arg(account) AND a.deleted_at IS NULL AND (o.played_at > 0 OR o.blocked = 1)
ORDER BY o.played_at DESC, o.opponent LIMIT sqlc.arg(count);

-- name: BlockOpponent :execrows
-- An opponent whom the account has played, or who has challenged it lately; otherwise no row.
INSERT INTO duel_opponent (account, opponent, wins, losses, draws, played_at, blocked)
SELECT sqlc.arg(account), sqlc.arg(opponent), 0, 0, 0, 0, sqlc.arg(blocked)
WHERE EXISTS (SELECT 1 FROM duel_opponent p WHERE p.account = sqlc.arg(account) AND p.opponent = sqlc.arg(opponent))
   OR EXISTS (SELECT 1 FROM duel_challenger c WHERE c.account = sqlc.arg(opponent) AND c.opponent = sqlc.arg(account))
ON CONFLICT (account, opponent) DO UPDATE SET blocked = excluded.blocked;

-- name: DropOpponents :exec
DELETE FROM duel_opponent WHERE account = sqlc.arg(account);

-- name: DropLeftOpponents :exec
-- Those of deleted accounts, which an earlier version could leave.
DELETE FROM duel_opponent
WHERE EXISTS (SELECT 1 FROM account a WHERE a.address = duel_opponent.account AND a.deleted_at IS NOT NULL);

-- name: CupDuels :many
-- The duels of a cup's games that are over, after a round and a board, with those of each.
SELECT sqlc.embed(d), g.round AS cup_round, g.board
FROM cup_game g JOIN duel d ON d.code = g.duel
WHERE g.cup = sqlc.arg(cup) AND g.ended_at IS NOT NULL
  AND (g.round > sqlc.arg(round) OR g.round = sqlc.arg(round) AND g.board > sqlc.arg(board))
ORDER BY g.round, g.board LIMIT sqlc.arg(count);
