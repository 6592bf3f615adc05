-- name: GetMeta :one
SELECT value FROM meta WHERE name = $1;

-- name: PutMeta :exec
INSERT INTO meta (name, value) VALUES ($1, $2)
ON CONFLICT (name) DO UPDATE SET value = excluded.value;

-- State ----------------------------------------------------------------------------

-- name: GetAccount :one
SELECT kind, balance, nonce, commitment, commitment_tx FROM ledger_account WHERE address = $1;

-- name: InsertAccount :exec
INSERT INTO ledger_account (address, kind, balance, nonce, commitment, commitment_tx)
VALUES ($1, $2, $3, $4, $5, $6);

-- name: UpdateAccount :execrows
-- The compare-and-swap that makes two posts at the same time take turns.
UPDATE ledger_account
SET balance = sqlc.arg(balance), nonce = sqlc.arg(nonce),
    commitment = sqlc.arg(commitment), commitment_tx = sqlc.arg(commitment_tx)
WHERE address = sqlc.arg(address) AND balance = sqlc.arg(seen_balance) AND nonce = sqlc.arg(seen_nonce);

-- name: ScanAccounts :many
SELECT address, kind, balance, nonce, commitment FROM ledger_account
WHERE address > sqlc.arg(after) ORDER BY address LIMIT sqlc.arg(count);

-- name: NewToken :one
INSERT INTO ledger_token (tier) VALUES (0) RETURNING token_id;

-- name: GetToken :one
SELECT tier, owner, run_id FROM ledger_token WHERE token_id = $1;

-- name: CreateToken :execrows
UPDATE ledger_token SET tier = sqlc.arg(tier), owner = sqlc.arg(owner), run_id = sqlc.narg(run_id)
WHERE token_id = sqlc.arg(token_id) AND tier = 0;

-- name: MoveToken :execrows
UPDATE ledger_token SET owner = sqlc.narg(new_owner)
WHERE token_id = sqlc.arg(token_id) AND owner = sqlc.arg(seen_owner);

-- name: CheapestToken :one
SELECT token_id, tier FROM ledger_token WHERE owner = $1 ORDER BY tier, token_id LIMIT 1;

-- name: TokensOf :many
SELECT token_id, tier FROM ledger_token
WHERE owner = sqlc.arg(owner) AND token_id > sqlc.arg(after)
ORDER BY token_id LIMIT sqlc.arg(count);

-- name: ScanTokens :many
SELECT token_id, tier, owner FROM ledger_token
WHERE token_id > sqlc.arg(after) ORDER BY token_id LIMIT sqlc.arg(count);

-- name: GetGame :one
SELECT step, a, b, tier, stake FROM ledger_game WHERE id = $1;

-- name: InsertGame :exec
INSERT INTO ledger_game (id, step, a, b, tier, stake) VALUES ($1, $2, $3, $4, $5, $6);

-- name: UpdateGame :execrows
UPDATE ledger_game SET step = sqlc.arg(step), b = sqlc.arg(b)
WHERE id = sqlc.arg(id) AND step = sqlc.arg(seen_step);

-- name: ScanGames :many
SELECT id, step, a, b, tier, stake FROM ledger_game
WHERE id > sqlc.arg(after) ORDER BY id LIMIT sqlc.arg(count);

-- Pending ---------------------------------------------------------------------------

-- name: InsertPending :exec
INSERT INTO chain_pending (hash, actor, raw) VALUES ($1, $2, $3);

-- name: ListPending :many
SELECT seq, hash, raw FROM chain_pending WHERE seq > sqlc.arg(after) ORDER BY seq LIMIT sqlc.arg(count);

-- name: GetPending :one
SELECT raw FROM chain_pending WHERE hash = $1;

-- name: PendingOf :many
SELECT hash, raw FROM chain_pending WHERE actor = sqlc.arg(actor) ORDER BY seq DESC LIMIT sqlc.arg(count);

-- name: CountPending :one
SELECT count(*) FROM chain_pending;

-- name: DeletePending :execrows
DELETE FROM chain_pending WHERE seq <= $1;

-- Blocks ----------------------------------------------------------------------------

-- name: GetHead :one
SELECT height, hash, time, next_pos, note FROM chain_head WHERE id = 1;

-- name: InsertHead :exec
INSERT INTO chain_head (id, height, hash, time, next_pos, note) VALUES (1, $1, $2, $3, $4, $5);

-- name: SwapHead :execrows
-- Two sealers cannot both add a block: one of them finds another height.
UPDATE chain_head
SET height = sqlc.arg(height), hash = sqlc.arg(hash), time = sqlc.arg(time),
    next_pos = sqlc.arg(next_pos), note = sqlc.arg(note)
WHERE id = 1 AND height = sqlc.arg(seen_height) AND hash = sqlc.arg(seen_hash);

-- name: InsertBlock :exec
INSERT INTO chain_block (height, hash, header, first_pos, tx_count) VALUES ($1, $2, $3, $4, $5);

-- name: GetBlock :one
SELECT height, hash, header, first_pos, tx_count FROM chain_block WHERE height = $1;

-- name: GetBlockByHash :one
SELECT height, hash, header, first_pos, tx_count FROM chain_block WHERE hash = $1;

-- name: GetBlockAt :one
-- The block that holds the transaction at a position.
SELECT height, hash, header, first_pos, tx_count FROM chain_block
WHERE first_pos <= $1 ORDER BY first_pos DESC LIMIT 1;

-- name: ListBlocks :many
SELECT height, hash, header, first_pos, tx_count FROM chain_block
WHERE height < sqlc.arg(before) ORDER BY height DESC LIMIT sqlc.arg(count);

-- name: ListHeaders :many
SELECT header FROM chain_block
WHERE height >= sqlc.arg(first) ORDER BY height LIMIT sqlc.arg(count);

-- name: ScanBlocks :many
SELECT b.height, b.hash, b.header, b.first_pos, b.tx_count, c.first_pos AS chunk_pos, c.body
FROM chain_block b LEFT JOIN chain_chunk c ON c.height = b.height
WHERE b.height >= sqlc.arg(first) AND b.height < sqlc.arg(before_height)
ORDER BY b.height, c.first_pos;

-- name: ListChunks :many
SELECT first_pos, body FROM chain_chunk WHERE height = $1 ORDER BY first_pos;

-- name: FindTx :many
-- The chunks that hold the transactions whose hashes start with a prefix.
SELECT i.pos, c.first_pos AS chunk_pos, c.body, b.height, b.first_pos AS block_pos
FROM chain_index i
JOIN chain_chunk c ON c.first_pos = (SELECT max(n.first_pos) FROM chain_chunk n WHERE n.first_pos <= i.pos)
JOIN chain_block b ON b.height = c.height
WHERE i.prefix = $1;

-- name: HistoryOf :many
SELECT a.pos, c.first_pos AS chunk_pos, c.body, b.height, b.first_pos AS block_pos
FROM chain_address a
JOIN chain_chunk c ON c.first_pos = (SELECT max(n.first_pos) FROM chain_chunk n WHERE n.first_pos <= a.pos)
JOIN chain_block b ON b.height = c.height
WHERE a.address = sqlc.arg(address) AND a.pos < sqlc.arg(before)
ORDER BY a.pos DESC LIMIT sqlc.arg(count);

-- name: HistoryOfToken :many
SELECT t.pos, c.first_pos AS chunk_pos, c.body, b.height, b.first_pos AS block_pos
FROM chain_token t
JOIN chain_chunk c ON c.first_pos = (SELECT max(n.first_pos) FROM chain_chunk n WHERE n.first_pos <= t.pos)
JOIN chain_block b ON b.height = c.height
WHERE t.token_id = sqlc.arg(token_id)
ORDER BY t.pos LIMIT sqlc.arg(count);

-- name: SumIndex :one
-- Sums that the verifier works out from the chain as well: one changed row changes
-- at least one of them. They stay below 2^63 for 2^31 rows.
SELECT count(*) AS n, cast(coalesce(sum(prefix & 4294967295), 0) AS BIGINT) AS low,
       cast(coalesce(sum((prefix >> 32) & 4294967295), 0) AS BIGINT) AS high,
       cast(coalesce(sum(pos), 0) AS BIGINT) AS positions,
       cast(coalesce(sum((prefix & 65535) * (pos & 32767)), 0) AS BIGINT) AS crossed
FROM chain_index;

-- name: ScanIndex :many
SELECT prefix, pos FROM chain_index WHERE pos >= sqlc.arg(first) AND pos < sqlc.arg(before_pos);

-- name: ScanAddresses :many
SELECT address, pos FROM chain_address
WHERE address > sqlc.arg(address) OR (address = sqlc.arg(address) AND pos > sqlc.arg(pos))
ORDER BY address, pos LIMIT sqlc.arg(count);

-- name: ScanTokenRows :many
SELECT token_id, pos FROM chain_token
WHERE token_id > sqlc.arg(token_id) OR (token_id = sqlc.arg(token_id) AND pos > sqlc.arg(pos))
ORDER BY token_id, pos LIMIT sqlc.arg(count);

-- Log -------------------------------------------------------------------------------

-- name: GetLogHash :one
SELECT hash FROM log_hash WHERE idx = $1;

-- name: ListLogHashes :many
SELECT idx, hash FROM log_hash WHERE idx >= sqlc.arg(first) AND idx < sqlc.arg(before_idx) ORDER BY idx;
