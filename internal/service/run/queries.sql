-- name: PutCommitment :exec
INSERT INTO run_commitment (account, commitment, seed) VALUES ($1, $2, $3)
ON CONFLICT (account) DO UPDATE SET commitment = excluded.commitment, seed = excluded.seed;

-- name: GetCommitment :one
SELECT commitment, seed FROM run_commitment WHERE account = $1;

-- name: InsertRun :exec
INSERT INTO run (id, account, status, entry, client_seed, commitment, seed, first_tier, cleared,
                 throws, transcript, commit_tx, start_tx, started_at, thrown_at, acted_at, version)
VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17);

-- name: GetRun :one
SELECT id, account, status, entry, client_seed, commitment, seed, first_tier, cleared, throws, transcript,
       token_id, commit_tx, start_tx, end_tx, started_at, thrown_at, acted_at, ended_at, version
FROM run WHERE id = $1;

-- name: GetRunVersion :one
SELECT version FROM run WHERE id = $1;

-- name: GetUnfinishedRun :one
SELECT id, account, status, entry, client_seed, commitment, seed, first_tier, cleared, throws, transcript,
       token_id, commit_tx, start_tx, end_tx, started_at, thrown_at, acted_at, ended_at, version
FROM run WHERE account = $1 AND ended_at IS NULL;

-- name: UpdateRun :execrows
-- A compare-and-swap on the version: of two concurrent actions exactly one succeeds.
UPDATE run
SET status = sqlc.arg(status), cleared = sqlc.arg(cleared), throws = sqlc.arg(throws),
    transcript = sqlc.arg(transcript), thrown_at = sqlc.arg(thrown_at), acted_at = sqlc.arg(acted_at),
    version = version + 1
WHERE id = sqlc.arg(id) AND version = sqlc.arg(version);

-- name: EndRun :execrows
UPDATE run
SET status = sqlc.arg(status), cleared = sqlc.arg(cleared), throws = sqlc.arg(throws),
    transcript = sqlc.arg(transcript), thrown_at = sqlc.arg(thrown_at), acted_at = sqlc.arg(acted_at),
    token_id = sqlc.narg(token_id), end_tx = sqlc.arg(end_tx), ended_at = sqlc.arg(ended_at),
    version = version + 1
WHERE id = sqlc.arg(id) AND version = sqlc.arg(version);

-- name: GetUse :one
-- The entries that an account has used since the start of a day, and the number of its
-- unfinished runs, 0 or 1.
SELECT (SELECT count(*) FROM run f
        WHERE f.account = sqlc.arg(account) AND f.entry = sqlc.arg(free) AND f.started_at >= sqlc.arg(since)) AS free,
       (SELECT count(*) FROM run d
        WHERE d.account = sqlc.arg(account) AND d.entry = sqlc.arg(daily) AND d.started_at >= sqlc.arg(since)) AS daily,
       (SELECT count(*) FROM run u WHERE u.account = sqlc.arg(account) AND u.ended_at IS NULL) AS unfinished;

-- name: GetOverview :one
-- The entries that an account has used since the start of a day, and the id of its
-- unfinished run, '' for none.
SELECT (SELECT count(*) FROM run f
        WHERE f.account = sqlc.arg(account) AND f.entry = sqlc.arg(free) AND f.started_at >= sqlc.arg(since)) AS free,
       (SELECT count(*) FROM run d
        WHERE d.account = sqlc.arg(account) AND d.entry = sqlc.arg(daily) AND d.started_at >= sqlc.arg(since)) AS daily,
       CAST(COALESCE((SELECT u.id FROM run u WHERE u.account = sqlc.arg(account) AND u.ended_at IS NULL), '')
            AS text) AS unfinished;

-- name: ListRuns :many
SELECT id, account, status, entry, client_seed, commitment, seed, first_tier, cleared, throws, transcript,
       token_id, commit_tx, start_tx, end_tx, started_at, thrown_at, acted_at, ended_at, version
FROM run
WHERE account = sqlc.arg(account)
  AND started_at <= sqlc.arg(before) AND (started_at < sqlc.arg(before) OR id < sqlc.arg(before_id))
ORDER BY started_at DESC, id DESC LIMIT sqlc.arg(count);

-- name: GetLastRun :one
SELECT id, account, status, entry, client_seed, commitment, seed, first_tier, cleared, throws, transcript,
       token_id, commit_tx, start_tx, end_tx, started_at, thrown_at, acted_at, ended_at, version
FROM run
WHERE account = sqlc.arg(account) AND entry = sqlc.arg(entry) AND started_at >= sqlc.arg(since)
ORDER BY started_at DESC LIMIT 1;

-- name: IdleRuns :many
-- Unfinished runs without an action since a time, oldest first.
SELECT id FROM run
WHERE ended_at IS NULL AND started_at < sqlc.arg(since) AND acted_at < sqlc.arg(since)
ORDER BY started_at LIMIT sqlc.arg(count);

-- name: GetSeedKey :one
SELECT value FROM meta WHERE name = 'seed_key';

-- name: PutSeedKey :exec
INSERT INTO meta (name, value) VALUES ('seed_key', $1);

-- name: AnyCommitment :one
-- An arbitrary stored seed, to check the seed key with.
SELECT commitment, seed FROM run_commitment LIMIT 1;

-- name: CountInPlay :one
SELECT count(*) FROM run WHERE ended_at IS NULL;

-- name: DeleteCommitment :exec
DELETE FROM run_commitment WHERE account = $1;
