-- name: ListLeases :many
SELECT name, holder, fence, beat FROM lease ORDER BY name;

-- name: Beat :execrows
-- Renews a lease; no row when the caller does not hold it any more.
UPDATE lease SET beat = beat + 1 WHERE name = sqlc.arg(name) AND fence = sqlc.arg(fence);

-- name: Take :one
-- Compare-and-swap: takes a lease whose row is as it was read, or inserts the first row.
INSERT INTO lease (name, holder, fence, beat) VALUES (sqlc.arg(name), sqlc.arg(holder), 1, 1)
ON CONFLICT (name) DO UPDATE SET holder = excluded.holder, fence = lease.fence + 1, beat = lease.beat + 1
WHERE lease.holder = sqlc.arg(seen_holder) AND lease.fence = sqlc.arg(seen_fence) AND lease.beat = sqlc.arg(seen_beat)
RETURNING fence;

-- name: Fence :one
-- Reads the row without locking it: the transactions that a lease protects may be long, and
-- neither renewals nor takeovers may wait for them.
SELECT fence FROM lease WHERE name = sqlc.arg(name);

-- name: Release :execrows
UPDATE lease SET holder = '', beat = beat + 1 WHERE name = sqlc.arg(name) AND fence = sqlc.arg(fence);
