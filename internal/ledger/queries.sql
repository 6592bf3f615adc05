-- name: GetMeta :one
SELECT value FROM meta WHERE name = $1;

-- name: PutMeta :exec
INSERT INTO meta (name, value) VALUES ($1, $2)
ON CONFLICT (name) DO UPDATE SET value = excluded.value;

-- name: DeleteMeta :execrows
DELETE FROM meta WHERE name = $1;

-- State ----------------------------------------------------------------------------

-- name: GetAccount :one
SELECT kind, balance, bound, nonce, commitment, commitment_tx, bound_start, secured_at, faucet_at, playing,
    paid, paid_bound, recovery, free_day, free_entries, daily_day, daily_entries
FROM ledger_account WHERE address = $1;

-- name: GetHolding :one
-- An account with the cheapest of its tokens that are not locked, as one number that sorts by tier
-- and id: tier * 2^55 + id * 2 + bound; 0 for none. That needs neither a join nor a sort. pending is 1 while
-- the transaction of its commitment is in no block.
SELECT a.kind, a.balance, a.bound, a.nonce, a.commitment, a.commitment_tx, a.bound_start, a.secured_at, a.faucet_at,
    a.playing, a.paid, a.paid_bound, a.recovery, a.free_day, a.free_entries, a.daily_day, a.daily_entries,
    CAST(COALESCE((SELECT min(n.tier * 36028797018963968 + n.token_id * 2 + n.bound)
        FROM ledger_token n WHERE n.owner = a.address AND n.locked = 0), 0) AS BIGINT) AS cheapest,
    CAST(COALESCE((SELECT 1 FROM chain_pending p WHERE p.hash = a.commitment_tx), 0) AS BIGINT) AS pending
FROM ledger_account a
WHERE a.address = $1;

-- name: InsertAccount :execrows
INSERT INTO ledger_account (address, kind, balance, bound, nonce, commitment, commitment_tx, bound_start, secured_at,
    recovery)
VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)
ON CONFLICT (address) DO NOTHING;

-- name: UpdateAccount :execrows
-- Compare-and-swap: of two concurrent posts, one changes no row and is retried. Nonce and balance show
-- that; the others differ only if the database has lost commits that a node remembers.
UPDATE ledger_account
SET balance = sqlc.arg(balance), bound = sqlc.arg(bound), nonce = sqlc.arg(nonce),
    commitment = sqlc.arg(commitment), commitment_tx = sqlc.arg(commitment_tx), secured_at = sqlc.arg(secured_at),
    faucet_at = sqlc.arg(faucet_at), playing = sqlc.arg(playing), paid = sqlc.arg(paid),
    paid_bound = sqlc.arg(paid_bound), recovery = sqlc.arg(recovery), free_day = sqlc.arg(free_day),
    free_entries = sqlc.arg(free_entries), daily_day = sqlc.arg(daily_day), daily_entries = sqlc.arg(daily_entries)
WHERE address = sqlc.arg(address) AND balance = sqlc.arg(seen_balance) AND nonce = sqlc.arg(seen_nonce)
  AND bound = sqlc.arg(seen_bound) AND secured_at = sqlc.arg(seen_secured_at) AND faucet_at = sqlc.arg(seen_faucet_at);

-- name: HoldAccount :execrows
UPDATE ledger_account SET nonce = nonce WHERE address = $1;

-- name: NewToken :one
INSERT INTO ledger_token (tier) VALUES (0) RETURNING token_id;

-- name: GetToken :one
SELECT tier, owner, run_id, locked, bound FROM ledger_token WHERE token_id = $1;

-- name: CreateToken :execrows
UPDATE ledger_token SET tier = sqlc.arg(tier), owner = sqlc.arg(owner), run_id = sqlc.narg(run_id),
    bound = sqlc.arg(bound)
WHERE token_id = sqlc.arg(token_id) AND tier = 0;

-- name: MoveToken :execrows
-- Changes no locked token. MoveToken and LockToken swap the same row, so of a sale and any
-- other use of a token one succeeds.
UPDATE ledger_token SET owner = sqlc.narg(new_owner)
WHERE token_id = sqlc.arg(token_id) AND owner = sqlc.arg(seen_owner) AND locked = 0;

-- name: LockToken :execrows
UPDATE ledger_token SET locked = 1
WHERE token_id = sqlc.arg(token_id) AND owner = sqlc.arg(owner) AND locked = 0;

-- name: HoldToken :execrows
UPDATE ledger_token SET locked = 0
WHERE token_id = sqlc.arg(token_id) AND owner = sqlc.arg(owner) AND locked = 0;

-- name: UnlockToken :execrows
UPDATE ledger_token SET locked = 0 WHERE token_id = $1 AND locked = 1;

-- name: CheapestToken :one
SELECT token_id, tier, bound FROM ledger_token WHERE owner = $1 AND locked = 0 ORDER BY tier, token_id LIMIT 1;

-- name: TokensOf :many
SELECT token_id, tier, bound FROM ledger_token
WHERE owner = sqlc.arg(owner) AND token_id > sqlc.arg(after)
ORDER BY token_id LIMIT sqlc.arg(count);

-- name: GetGame :one
SELECT step, a, b, tier, stake, bound FROM ledger_game WHERE id = $1;

-- name: InsertGame :execrows
INSERT INTO ledger_game (id, step, a, b, tier, stake, bound) VALUES ($1, $2, $3, $4, $5, $6, $7)
ON CONFLICT (id) DO NOTHING;

-- name: UpdateGame :execrows
UPDATE ledger_game SET step = sqlc.arg(step), a = sqlc.arg(a), b = sqlc.arg(b)
WHERE id = sqlc.arg(id) AND step = sqlc.arg(seen_step);

-- Pending ---------------------------------------------------------------------------

-- name: InsertPending :exec
INSERT INTO chain_pending (hash, actor, raw, transcript) VALUES ($1, $2, $3, $4);

-- name: InsertPendingUnder :execrows
-- InsertPending, unless the value of a name in meta has changed or the newest block or transaction is after a time.
INSERT INTO chain_pending (hash, actor, raw, transcript)
SELECT sqlc.arg(hash), sqlc.narg(actor), sqlc.arg(raw), sqlc.narg(transcript)
FROM meta m, chain_head h
WHERE m.name = sqlc.arg(name) AND m.value = sqlc.arg(value) AND h.id = 1
  AND h.time <= sqlc.arg(latest) AND h.posted <= sqlc.arg(latest);

-- name: InsertPendingAddress :exec
INSERT INTO chain_pending_address (address, hash) VALUES ($1, $2);

-- name: ListPending :many
SELECT seq, hash, actor, raw, transcript FROM chain_pending
WHERE seq >= sqlc.arg(first) ORDER BY seq LIMIT sqlc.arg(count);

-- name: GetPending :one
SELECT raw FROM chain_pending WHERE hash = $1;

-- name: PendingOf :many
-- With the number of transactions that will be sealed before each.
SELECT p.raw, (SELECT count(*) FROM chain_pending n WHERE n.seq < p.seq) AS ahead
FROM chain_pending p
WHERE (p.actor = sqlc.arg(address)
    OR p.hash IN (SELECT w.hash FROM chain_pending_address w WHERE w.address = sqlc.arg(address)))
  AND (SELECT count(*) FROM chain_pending n WHERE n.seq < p.seq) < sqlc.arg(before_rank)
ORDER BY p.seq DESC LIMIT sqlc.arg(count);

-- name: InsertRecovery :exec
INSERT INTO chain_recovery (number, tx, reason, lost_size, lost_root, last_pos) VALUES ($1, $2, $3, $4, $5, 0);

-- name: CompleteRecovery :exec
-- Runs in the transaction of the recovery, after its last post.
UPDATE chain_recovery
SET last_pos = (SELECT h.next_pos + (SELECT count(*) FROM chain_pending) FROM chain_head h)
WHERE number = sqlc.arg(number);

-- name: ListRecoveries :many
SELECT number, tx, reason, lost_size, lost_root FROM chain_recovery ORDER BY number DESC;

-- name: CountRotating :one
-- 1 while transactions of a recovery are in no block.
SELECT count(*) FROM chain_head h, chain_recovery r WHERE r.number = sqlc.arg(number) AND h.next_pos < r.last_pos;

-- name: CountPending :one
SELECT count(*) FROM chain_pending;

-- name: GetHead :one
SELECT height, hash, time, next_pos, note, posted FROM chain_head WHERE id = 1;

-- name: InsertHead :exec
INSERT INTO chain_head (id, height, hash, time, next_pos, note) VALUES (1, $1, $2, $3, $4, $5);

-- name: SwapHead :execrows
-- Compare-and-swap: of two sealers, one changes no row.
UPDATE chain_head
SET height = sqlc.arg(height), hash = sqlc.arg(hash), time = sqlc.arg(time),
    next_pos = sqlc.arg(next_pos), note = sqlc.arg(note)
WHERE id = 1 AND height = sqlc.arg(seen_height) AND hash = sqlc.arg(seen_hash);

-- name: RaisePosted :exec
UPDATE chain_head SET posted = sqlc.arg(posted) WHERE id = 1 AND posted < sqlc.arg(posted);

-- name: LastPeriod :one
SELECT start, supply FROM chain_period WHERE seconds = $1 ORDER BY start DESC LIMIT 1;

-- name: AddToPeriod :exec
INSERT INTO chain_period (seconds, start, blocks, transactions, created, destroyed, supply)
VALUES ($1, $2, $3, $4, $5, $6, $7)
ON CONFLICT (seconds, start) DO UPDATE
SET blocks = chain_period.blocks + excluded.blocks, transactions = chain_period.transactions + excluded.transactions,
    created = chain_period.created + excluded.created, destroyed = chain_period.destroyed + excluded.destroyed,
    supply = excluded.supply;

-- name: ListPeriods :many
SELECT start, blocks, transactions, created, destroyed, supply FROM chain_period
WHERE seconds = sqlc.arg(seconds) AND start < sqlc.arg(before) ORDER BY start DESC LIMIT sqlc.arg(count);

-- name: InsertBlock :exec
INSERT INTO chain_block (height, hash, header, first_pos, tx_count) VALUES ($1, $2, $3, $4, $5);

-- name: GetBlock :one
SELECT height, hash, header, first_pos, tx_count FROM chain_block WHERE height = $1;

-- name: ListBlocks :many
SELECT height, hash, header, first_pos, tx_count FROM chain_block
WHERE height < sqlc.arg(before) ORDER BY height DESC LIMIT sqlc.arg(count);

-- name: ListHeaders :many
SELECT header FROM chain_block
WHERE height >= sqlc.arg(first) ORDER BY height LIMIT sqlc.arg(count);

-- name: ListChunks :many
SELECT first_pos, body FROM chain_chunk WHERE height = $1 ORDER BY first_pos;

-- name: FindTx :many
-- The chunks that hold the transactions whose hashes start with a prefix.
SELECT i.pos, c.first_pos AS chunk_pos, c.body, b.height, b.first_pos AS block_pos
FROM chain_index i
JOIN chain_chunk c ON c.first_pos = (SELECT max(n.first_pos) FROM chain_chunk n WHERE n.first_pos <= i.pos)
JOIN chain_block b ON b.height = c.height
WHERE i.prefix = $1;

-- name: FindTxBetween :many
-- The chunks that hold the transactions whose prefixes are in a range.
SELECT i.pos, c.first_pos AS chunk_pos, c.body, b.height, b.first_pos AS block_pos
FROM chain_index i
JOIN chain_chunk c ON c.first_pos = (SELECT max(n.first_pos) FROM chain_chunk n WHERE n.first_pos <= i.pos)
JOIN chain_block b ON b.height = c.height
WHERE i.prefix >= sqlc.arg(first) AND i.prefix <= sqlc.arg(last)
ORDER BY i.prefix, i.pos LIMIT sqlc.arg(count);

-- name: FindPendingBetween :many
SELECT hash FROM chain_pending WHERE hash >= sqlc.arg(first) AND hash <= sqlc.arg(last)
ORDER BY hash LIMIT sqlc.arg(count);

-- name: FindBlocksBetween :many
SELECT height FROM chain_block WHERE hash >= sqlc.arg(first) AND hash <= sqlc.arg(last)
ORDER BY hash LIMIT sqlc.arg(count);

-- name: FindAccountsBetween :many
SELECT address FROM ledger_account
WHERE address >= sqlc.arg(first) AND address <= sqlc.arg(last) ORDER BY address LIMIT sqlc.arg(count);

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

-- Log -------------------------------------------------------------------------------

-- name: ListLogHashes :many
SELECT idx, hash FROM log_hash WHERE idx >= sqlc.arg(first) AND idx < sqlc.arg(before_idx) ORDER BY idx;

-- name: PutCosignature :exec
-- Keeps a newer row: several nodes may collect cosignatures.
INSERT INTO log_cosignature (witness, size, checkpoint, lines) VALUES ($1, $2, $3, $4)
ON CONFLICT (witness) DO UPDATE
SET size = excluded.size, checkpoint = excluded.checkpoint, lines = excluded.lines
WHERE log_cosignature.size <= excluded.size;

-- name: ListCosignatures :many
SELECT witness, size, checkpoint, lines FROM log_cosignature ORDER BY size DESC, witness;

-- name: PutKept :exec
-- A row is replaced to add lines of other witnesses to the same checkpoint.
INSERT INTO log_kept (number, size, time, seen, checkpoint) VALUES ($1, $2, $3, $4, $5)
ON CONFLICT (number) DO UPDATE SET seen = excluded.seen, checkpoint = excluded.checkpoint
WHERE log_kept.size = excluded.size;

-- name: LastKept :one
SELECT number, size, time, seen, checkpoint FROM log_kept ORDER BY number DESC LIMIT 1;

-- name: ListKept :many
SELECT number, size, time, seen, checkpoint FROM log_kept
WHERE number >= sqlc.arg(first) ORDER BY number LIMIT sqlc.arg(count);

-- name: ListKeptOf :many
-- Those of trees that end in a range of blocks.
SELECT size, checkpoint FROM log_kept WHERE size >= sqlc.arg(first) AND size <= sqlc.arg(last) ORDER BY number;

-- The audit reads every row of every table. store.Tx.Scan runs these queries and takes columns
-- by their order. Only the blocks come in an order, a page at a time.

-- name: CountIndex :one
SELECT count(*) FROM chain_index;

-- name: ScanBlocks :many
SELECT b.height, b.hash, b.header, b.first_pos, b.tx_count, c.first_pos AS chunk_pos, c.body, c.transcripts
FROM chain_block b LEFT JOIN chain_chunk c ON c.height = b.height
WHERE b.height >= sqlc.arg(first) AND b.height <= (
    SELECT max(page.height) FROM (
        SELECT p.height FROM chain_block p WHERE p.height >= sqlc.arg(first) ORDER BY p.height LIMIT sqlc.arg(count)
    ) page)
ORDER BY b.height, c.first_pos;

-- name: StrayChunks :many
SELECT c.height, c.first_pos FROM chain_chunk c
WHERE NOT EXISTS (SELECT 1 FROM chain_block b WHERE b.height = c.height)
ORDER BY c.height, c.first_pos LIMIT sqlc.arg(count);

-- name: ScanPending :many
SELECT seq, hash, actor, raw, transcript FROM chain_pending ORDER BY seq;

-- name: ScanPendingAddresses :many
SELECT address, hash FROM chain_pending_address;

-- name: ScanAccounts :many
SELECT address, kind, balance, bound, nonce, commitment, commitment_tx, bound_start, secured_at, faucet_at, recovery,
    playing, paid, paid_bound, free_day, free_entries, daily_day, daily_entries
FROM ledger_account;

-- name: ScanTokens :many
SELECT token_id, tier, owner, run_id, bound FROM ledger_token;

-- name: ScanGames :many
SELECT id, step, a, b, tier, stake, bound FROM ledger_game;

-- name: ScanIndex :many
SELECT prefix, pos FROM chain_index;

-- name: ScanAddresses :many
SELECT address, pos FROM chain_address;

-- name: ScanTokenRows :many
SELECT token_id, pos FROM chain_token;

-- name: ScanLogHashes :many
SELECT idx, hash FROM log_hash;

-- name: ScanPeriods :many
SELECT seconds, start, blocks, transactions, created, destroyed, supply FROM chain_period;

-- name: Continues :execrows
-- One row, unless the chain has fewer blocks than a node knows, or one of two rows of meta stops all writes. Their
-- names are literals, since PostgreSQL would plan the statement anew for each write with two more parameters.
SELECT 1 FROM chain_head h
WHERE h.id = 1 AND h.height >= sqlc.arg(height)
  AND NOT EXISTS (SELECT 1 FROM meta m WHERE m.name IN ('recovering', 'restored'));
