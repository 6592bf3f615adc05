-- name: GetAnswer :one
SELECT request, answer FROM idempotency WHERE account = $1 AND name = $2 AND created_at >= $3;

-- name: PutAnswer :exec
-- One that is too old to be given again makes way.
INSERT INTO idempotency (account, name, request, answer, created_at) VALUES ($1, $2, $3, $4, $5)
ON CONFLICT (account, name) DO UPDATE
SET request = excluded.request, answer = excluded.answer, created_at = excluded.created_at;

-- name: DeleteAnswers :execrows
DELETE FROM idempotency WHERE created_at < $1;
