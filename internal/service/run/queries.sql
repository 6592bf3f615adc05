-- name: InsertCommitment :exec
INSERT INTO run_commitment (account, commitment, seed) VALUES ($1, $2, $3);

-- name: ReplaceCommitment :execrows
UPDATE run_commitment SET commitment = sqlc.arg(commitment), seed = sqlc.arg(seed)
WHERE account = sqlc.arg(account) AND commitment = sqlc.arg(outstanding);

-- name: GetCommitment :one
SELECT commitment, seed FROM run_commitment WHERE account = $1;

-- name: InsertRun :exec
INSERT INTO run (id, account, status, entry, client_seed, commitment, seed, first_tier, cleared,
                 throws, transcript, entropy, token_id, commit_tx, start_tx, end_tx, started_at, thrown_at, acted_at,
                 ended_at, version, bound, unranked)
VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18, $19, $20, $21, $22, $23);

-- name: GetRun :one
SELECT id, account, status, entry, client_seed, commitment, seed, first_tier, cleared, throws, transcript,
       entropy, token_id, commit_tx, start_tx, end_tx, started_at, thrown_at, acted_at, ended_at, version, bound,
       unranked
FROM run WHERE id = $1;

-- name: GetRunVersion :one
-- Of a run in play.
SELECT version FROM run WHERE id = $1 AND ended_at IS NULL;

-- name: GetUnfinishedRun :one
SELECT id, account, status, entry, client_seed, commitment, seed, first_tier, cleared, throws, transcript,
       entropy, token_id, commit_tx, start_tx, end_tx, started_at, thrown_at, acted_at, ended_at, version, bound,
       unranked
FROM run WHERE account = $1 AND ended_at IS NULL;

-- name: UpdateRun :execrows
-- A compare-and-swap on the version: of two concurrent actions exactly one succeeds. A run that has ended never
-- changes: a recovery ends runs in an older state of the database, where the end can have the version that a node
-- remembers of a run in play.
UPDATE run
SET status = sqlc.arg(status), cleared = sqlc.arg(cleared), throws = sqlc.arg(throws),
    transcript = sqlc.arg(transcript), entropy = sqlc.arg(entropy), thrown_at = sqlc.arg(thrown_at), acted_at = sqlc.arg(acted_at),
    version = version + 1
WHERE id = sqlc.arg(id) AND version = sqlc.arg(version) AND ended_at IS NULL;

-- name: EndRun :execrows
UPDATE run
SET status = sqlc.arg(status), cleared = sqlc.arg(cleared), throws = sqlc.arg(throws),
    transcript = sqlc.arg(transcript), entropy = sqlc.arg(entropy), thrown_at = sqlc.arg(thrown_at), acted_at = sqlc.arg(acted_at),
    token_id = sqlc.narg(token_id), end_tx = sqlc.arg(end_tx), ended_at = sqlc.arg(ended_at),
    version = version + 1
WHERE id = sqlc.arg(id) AND version = sqlc.arg(version) AND ended_at IS NULL;

-- name: UnfinishedRuns :many
SELECT id, account, status, entry, client_seed, commitment, seed, first_tier, cleared, throws, transcript,
       entropy, token_id, commit_tx, start_tx, end_tx, started_at, thrown_at, acted_at, ended_at, version, bound,
       unranked
FROM run WHERE ended_at IS NULL LIMIT sqlc.arg(count);

-- name: Committed :many
-- The accounts that can start a run, after one of them in the order of their bytes.
SELECT account FROM run_commitment WHERE account > sqlc.arg(after) ORDER BY account LIMIT sqlc.arg(count);

-- name: ListRuns :many
SELECT id, account, status, entry, client_seed, commitment, seed, first_tier, cleared, throws, transcript,
       entropy, token_id, commit_tx, start_tx, end_tx, started_at, thrown_at, acted_at, ended_at, version, bound,
       unranked
FROM run
WHERE account = sqlc.arg(account)
  AND started_at <= sqlc.arg(before) AND (started_at < sqlc.arg(before) OR id < sqlc.arg(before_id))
ORDER BY started_at DESC, id DESC LIMIT sqlc.arg(count);

-- name: EndedBetween :many
-- The runs that have ended, by their end: the first ones after a position, that ended before a time.
SELECT sqlc.embed(r), a.username
FROM run r JOIN account a ON a.address = r.account
WHERE r.ended_at >= cast(sqlc.arg(since) AS BIGINT) AND r.ended_at < cast(sqlc.arg(until) AS BIGINT)
  AND (r.ended_at > cast(sqlc.arg(since) AS BIGINT) OR r.id > sqlc.arg(after))
ORDER BY r.ended_at, r.id LIMIT sqlc.arg(count);

-- name: EndedBetweenOf :many
-- EndedBetween for an account, whose runs end in the order in which they start: since is the start of the last one.
SELECT sqlc.embed(r), a.username
FROM run r JOIN account a ON a.address = r.account
WHERE r.account = sqlc.arg(account) AND r.started_at >= sqlc.arg(since)
  AND (r.started_at > sqlc.arg(since) OR r.id > sqlc.arg(after))
  AND r.ended_at < cast(sqlc.arg(until) AS BIGINT)
ORDER BY r.started_at, r.id LIMIT sqlc.arg(count);

-- name: LastThrow :one
-- When the account last threw, in the run that it started last; 0 for never.
SELECT thrown_at FROM run WHERE account = $1 ORDER BY started_at DESC, id DESC LIMIT 1;

-- name: GetLastRun :one
SELECT id, account, status, entry, client_seed, commitment, seed, first_tier, cleared, throws, transcript,
       entropy, token_id, commit_tx, start_tx, end_tx, started_at, thrown_at, acted_at, ended_at, version, bound,
       unranked
FROM run
WHERE account = sqlc.arg(account) AND entry = sqlc.arg(entry) AND started_at >= sqlc.arg(since)
ORDER BY started_at DESC LIMIT 1;

-- name: IdleRuns :many
-- Unfinished runs without an action since a time, oldest first.
SELECT id FROM run
WHERE ended_at IS NULL AND started_at < sqlc.arg(since) AND acted_at < sqlc.arg(since)
ORDER BY started_at LIMIT sqlc.arg(count);

-- name: GetSeedKey :one
SELECT fingerprint FROM run_key WHERE id = 1;

-- name: PutSeedKey :exec
INSERT INTO run_key (id, fingerprint) VALUES (1, $1);

-- name: AnyCommitment :one
-- An arbitrary stored seed, to check the seed key with.
SELECT commitment, seed FROM run_commitment LIMIT 1;

-- name: CountInPlay :one
SELECT count(*) FROM run WHERE ended_at IS NULL;

-- name: DeleteCommitment :exec
DELETE FROM run_commitment WHERE account = $1;
