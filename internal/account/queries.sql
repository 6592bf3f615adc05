-- name: InsertAccount :execrows
-- No row when the name is taken.
INSERT INTO account (address, kind, username, username_key, created_at)
VALUES ($1, $2, $3, $4, $5)
ON CONFLICT (username_key) DO NOTHING;

-- name: GetAccount :one
SELECT address, kind, username, username_key, created_at, faucet_at
FROM account WHERE address = $1;

-- name: DeleteSession :exec
DELETE FROM session WHERE token_hash = $1;

-- name: SetFaucet :execrows
-- One winner among faucet calls at the same time: only who saw the last time may
-- set the next.
UPDATE account SET faucet_at = sqlc.arg(now)
WHERE address = sqlc.arg(address) AND coalesce(faucet_at, 0) = cast(sqlc.arg(seen) AS BIGINT);

-- name: InsertSession :exec
INSERT INTO session (token_hash, address, created_at, seen_at)
VALUES ($1, $2, $3, $4);

-- name: GetSession :one
SELECT s.created_at AS session_created_at, s.seen_at,
       a.address, a.kind, a.username, a.created_at, a.faucet_at
FROM session s JOIN account a ON a.address = s.address
WHERE s.token_hash = $1;

-- name: TouchSession :exec
UPDATE session SET seen_at = sqlc.arg(now) WHERE token_hash = sqlc.arg(token_hash) AND seen_at < sqlc.arg(now);

-- name: DeleteStaleSessions :execrows
DELETE FROM session WHERE seen_at < sqlc.arg(idle_since) OR created_at < sqlc.arg(made_before);
