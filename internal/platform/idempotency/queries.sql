-- name: GetAnswer :one
SELECT request, answer FROM idempotency WHERE account = $1 AND name = $2 AND created_at >= $3;

-- name: PutAnswer :execrows
-- Replaces an expired answer. No row when another node has stored an answer since the
-- caller looked for one.
INSERT INTO idempotency (account, name, request, answer, created_at)
VALUES (sqlc.arg(account), sqlc.arg(name), sqlc.arg(request), sqlc.arg(answer), sqlc.arg(created_at))
ON CONFLICT (account, name) DO UPDATE
SET request = excluded.request, answer = excluded.answer, created_at = excluded.created_at
WHERE idempotency.created_at < sqlc.arg(too_old);

-- name: DeleteAnswers :execrows
DELETE FROM idempotency WHERE created_at < $1;

-- name: TrimAnswers :exec
-- The newest answers of the account may have that many bytes together, each with some for its row; older ones go,
-- of those before a time.
DELETE FROM idempotency WHERE idempotency.account = sqlc.arg(account) AND idempotency.name IN (
    SELECT newest.name FROM (
        SELECT i.name, i.created_at, SUM(length(i.answer) + CAST(sqlc.arg(row) AS BIGINT)) OVER (ORDER BY i.created_at DESC, i.name) AS bytes
        FROM idempotency i WHERE i.account = sqlc.arg(account)
    ) newest
    WHERE newest.bytes > CAST(sqlc.arg(bytes) AS BIGINT) AND newest.created_at < CAST(sqlc.arg(before) AS BIGINT));

-- name: DeleteAnswersOf :exec
DELETE FROM idempotency WHERE account = $1;
