-- name: ListLeases :many
SELECT name, holder, fence, beat FROM lease ORDER BY name;

-- name: Beat :execrows
-- The holder of a lease says that it lives and works, and is told whether it still holds it.
UPDATE lease SET beat = beat + 1 WHERE name = sqlc.arg(name) AND fence = sqlc.arg(fence);

-- name: Take :one
-- The compare-and-swap by which a lease is taken: as it was seen, or there is none yet.
INSERT INTO lease (name, holder, fence, beat) VALUES (sqlc.arg(name), sqlc.arg(holder), 1, 1)
ON CONFLICT (name) DO UPDATE SET holder = excluded.holder, fence = lease.fence + 1, beat = lease.beat + 1
WHERE lease.holder = sqlc.arg(seen_holder) AND lease.fence = sqlc.arg(seen_fence) AND lease.beat = sqlc.arg(seen_beat)
RETURNING fence;

-- name: Fence :one
-- Read, and not locked, in the transactions that a lease protects: those may take long,
-- and neither a beat nor a taking over is to wait for them.
SELECT fence FROM lease WHERE name = sqlc.arg(name);

-- name: Release :execrows
UPDATE lease SET holder = '', beat = beat + 1 WHERE name = sqlc.arg(name) AND fence = sqlc.arg(fence);
