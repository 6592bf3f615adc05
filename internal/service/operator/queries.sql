-- The log is append-only: no query changes or deletes a row of it.

-- name: InsertEntry :exec
INSERT INTO operator_log (seq, at, operator, action, subject, detail, prev, hash)
VALUES ($1, $2, $3, $4, $5, $6, $7, $8);

-- name: LastEntry :one
SELECT seq, hash FROM operator_log ORDER BY seq DESC LIMIT 1;

-- name: EntriesAfter :many
SELECT seq, at, operator, action, subject, detail, prev, hash FROM operator_log
WHERE seq > sqlc.arg(after) ORDER BY seq LIMIT sqlc.arg(count);

-- name: EntriesBefore :many
SELECT seq, at, operator, action, subject, detail, prev, hash FROM operator_log
WHERE seq < sqlc.arg(before) ORDER BY seq DESC LIMIT sqlc.arg(count);

-- name: InsertVoid :exec
INSERT INTO operator_void (game, at, reason, tx, closed) VALUES ($1, $2, $3, $4, $5);

-- name: RestoreVoid :execrows
UPDATE operator_void
SET restored_at = sqlc.arg(at), restored_reason = sqlc.arg(reason), restored_tx = sqlc.arg(tx)
WHERE game = sqlc.arg(game) AND restored_at IS NULL;

-- name: GetVoid :one
SELECT game, at, reason, tx, closed, restored_at, restored_reason, restored_tx FROM operator_void WHERE game = $1;

-- name: ListVoids :many
SELECT game, at, reason, tx, closed, restored_at, restored_reason, restored_tx FROM operator_void
WHERE at >= sqlc.arg(since) ORDER BY game;

-- name: SaleFlows :many
-- Coins from buyers to sellers, by pair. Scans the sales of the period, so it is for operators.
SELECT l.buyer, l.seller, count(*) AS times, cast(sum(l.price) AS BIGINT) AS coins
FROM market_listing l WHERE l.status = 'sold' AND l.closed_at >= sqlc.arg(since)
GROUP BY l.buyer, l.seller ORDER BY coins DESC LIMIT sqlc.arg(count);

-- name: StakeFlows :many
-- Stakes from losers to winners, by pair, likewise.
SELECT d.a, d.b, d.winner, count(*) AS times, cast(sum(d.stake) AS BIGINT) AS coins
FROM duel d WHERE d.status = 'finished' AND d.stake > 0 AND d.winner <> '' AND d.ended_at >= sqlc.arg(since)
GROUP BY d.a, d.b, d.winner ORDER BY coins DESC LIMIT sqlc.arg(count);

-- name: Names :many
-- Every account of a flow, with its owner if it is a bot.
SELECT a.address, a.username, a.kind, b.owner FROM account a LEFT JOIN bot b ON b.address = a.address
WHERE a.address IN (
    SELECT l.buyer FROM market_listing l WHERE l.status = 'sold' AND l.closed_at >= sqlc.arg(since)
    UNION SELECT l.seller FROM market_listing l WHERE l.status = 'sold' AND l.closed_at >= sqlc.arg(since)
    UNION SELECT d.a FROM duel d WHERE d.stake > 0 AND d.ended_at >= sqlc.arg(since)
    UNION SELECT d.b FROM duel d WHERE d.stake > 0 AND d.ended_at >= sqlc.arg(since));
