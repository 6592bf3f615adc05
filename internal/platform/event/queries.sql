-- name: Post :exec
INSERT INTO event_inbox (topic, kind, body, posted_at) VALUES ($1, $2, $3, $4);

-- name: ListInbox :many
SELECT id, topic, kind, body, posted_at FROM event_inbox ORDER BY id LIMIT sqlc.arg(count);

-- name: ClearInbox :execrows
DELETE FROM event_inbox WHERE id <= sqlc.arg(last);

-- name: GetHead :one
SELECT seq FROM event_head WHERE id = 1;

-- name: SwapHead :execrows
-- Compare-and-swap: one node at a time numbers events. It also locks the row until the
-- commit, so that numbers are committed in their order.
UPDATE event_head SET seq = sqlc.arg(seq) WHERE id = 1 AND seq = sqlc.arg(seen);

-- name: ListFrom :many
-- The events from a number on, that one included.
SELECT seq, topic, kind, body, batch FROM event
WHERE seq >= sqlc.arg(first) ORDER BY seq LIMIT sqlc.arg(count);

-- name: ListAmong :many
-- The events of topics, which are given as |blocks|feed|. LIKE ignores case on SQLite, so
-- the caller filters again.
SELECT seq, topic, kind, body, batch FROM event
WHERE seq > sqlc.arg(after) AND seq <= sqlc.arg(last)
  AND CAST(sqlc.arg(topics) AS text) LIKE '%|' || topic || '|%'
ORDER BY seq LIMIT sqlc.arg(count);

-- name: First :one
-- The number of the first stored event, 0 when there is none.
SELECT CAST(COALESCE(min(seq), 0) AS bigint) AS seq FROM event;

-- name: FirstSince :one
-- The number of the first event posted at a time or later, 0 when there is none.
SELECT CAST(COALESCE(min(seq), 0) AS bigint) AS seq FROM event WHERE posted_at >= sqlc.arg(since);

-- Corrections of stored events scan both tables, so they are for rare changes.

-- name: ReplaceStored :execrows
UPDATE event SET body = replace(body, sqlc.arg(old), sqlc.arg(new))
WHERE topic = sqlc.arg(topic) AND body LIKE '%' || CAST(sqlc.arg(old) AS text) || '%';

-- name: ReplacePosted :execrows
UPDATE event_inbox SET body = replace(body, sqlc.arg(old), sqlc.arg(new))
WHERE topic = sqlc.arg(topic) AND body LIKE '%' || CAST(sqlc.arg(old) AS text) || '%';

-- name: RetractStored :execrows
UPDATE event SET topic = sqlc.arg(corrections) WHERE topic = sqlc.arg(topic) AND body LIKE sqlc.arg(pattern);

-- name: RetractPosted :execrows
UPDATE event_inbox SET topic = sqlc.arg(corrections) WHERE topic = sqlc.arg(topic) AND body LIKE sqlc.arg(pattern);

-- name: Drop :execrows
DELETE FROM event WHERE seq <= sqlc.arg(last);
