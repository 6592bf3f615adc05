-- name: ListLeases :many
SELECT name, holder, fence, beat FROM lease ORDER BY name;

-- name: Beat :many
-- The holder of leases says that it lives, and is told which of them it still holds.
UPDATE lease SET beat = beat + 1 WHERE holder = sqlc.arg(holder) RETURNING name, fence;

-- name: Take :one
-- The compare-and-swap by which a lease is taken: as it was seen, or there is none yet.
INSERT INTO lease (name, holder, fence, beat) VALUES (sqlc.arg(name), sqlc.arg(holder), 1, 1)
ON CONFLICT (name) DO UPDATE SET holder = excluded.holder, fence = lease.fence + 1, beat = lease.beat + 1
WHERE lease.holder = sqlc.arg(seen_holder) AND lease.fence = sqlc.arg(seen_fence) AND lease.beat = sqlc.arg(seen_beat)
RETURNING fence;

-- name: Confirm :execrows
-- Says in a transaction of the holder's that it holds the lease still. It writes, and does
-- not only read, so that this transaction and one that takes the lease over cannot both
-- be committed without one having seen the other.
UPDATE lease SET beat = beat + 1 WHERE name = sqlc.arg(name) AND fence = sqlc.arg(fence);

-- name: Release :execrows
UPDATE lease SET holder = '', beat = beat + 1 WHERE name = sqlc.arg(name) AND fence = sqlc.arg(fence);
