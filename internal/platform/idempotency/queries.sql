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

-- name: DeleteAnswersOf :exec
DELETE FROM idempotency WHERE account = $1;
