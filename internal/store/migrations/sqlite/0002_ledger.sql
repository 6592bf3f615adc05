-- +goose Up

-- The state that the chain's transactions lead to, the transactions that wait for a block, the blocks,
-- and the log.

CREATE TABLE ledger_account (
    address       BLOB PRIMARY KEY,
    kind          TEXT NOT NULL,          -- as on the chain; '' for a duel's escrow
    balance       INTEGER NOT NULL CHECK (balance >= 0),
    bound         INTEGER NOT NULL DEFAULT 0 CHECK (bound BETWEEN 0 AND balance), -- of the balance
    nonce         INTEGER NOT NULL,         -- of the next transaction
    commitment    BLOB,                 -- outstanding, of the next run
    commitment_tx BLOB,                 -- hash of the transaction that published it
    bound_start   INTEGER NOT NULL DEFAULT 0, -- 1 when it was opened with a bound start
    secured_at    INTEGER NOT NULL DEFAULT 0, -- 0 for never, as for faucet_at
    faucet_at     INTEGER NOT NULL DEFAULT 0,
    recovery      INTEGER NOT NULL DEFAULT 0, -- number of the last one before the commitment
    playing       TEXT NOT NULL DEFAULT '',  -- entry of the run that is not over; '' for none
    paid          INTEGER NOT NULL DEFAULT 0, -- coins of that entry
    paid_bound    INTEGER NOT NULL DEFAULT 0, -- the bound ones of them
    free_day      INTEGER NOT NULL DEFAULT 0, -- of the last free entry, in UTC days since 1970
    free_entries  INTEGER NOT NULL DEFAULT 0, -- on that day
    daily_day     INTEGER NOT NULL DEFAULT 0, -- as free_day and free_entries
    daily_entries INTEGER NOT NULL DEFAULT 0
) STRICT, WITHOUT ROWID;
CREATE INDEX ledger_account_secured ON ledger_account (secured_at) WHERE bound_start = 1;

CREATE TABLE ledger_token (
    token_id INTEGER PRIMARY KEY,
    tier     INTEGER NOT NULL,
    owner    BLOB,                      -- null once destroyed
    run_id   TEXT,                        -- the run that awarded it
    bound    INTEGER NOT NULL DEFAULT 0,  -- 1 when it cannot be sold to another account
    locked   INTEGER NOT NULL DEFAULT 0   -- 1 while it is listed: only its sale moves it
) STRICT;
CREATE INDEX ledger_token_owner ON ledger_token (owner, token_id) WHERE owner IS NOT NULL;

CREATE TABLE ledger_game (                -- decisions that are final: chain.Game
    id    TEXT PRIMARY KEY,               -- run:…, duel:…, season:…, cup:…, listing:…, offer:… or void:…
    step  INTEGER NOT NULL,
    a     BLOB,
    b     BLOB,
    tier  INTEGER NOT NULL,
    stake INTEGER NOT NULL,
    bound INTEGER NOT NULL DEFAULT 0   -- 1 for a run that wins a bound token
) STRICT, WITHOUT ROWID;

CREATE TABLE chain_pending (
    seq   INTEGER PRIMARY KEY,           -- assigned while the affected accounts are locked
    hash  BLOB NOT NULL UNIQUE,
    actor BLOB,
    raw   BLOB NOT NULL,
    transcript BLOB                       -- of the game that it ends
) STRICT;

-- Addresses affected by a pending transaction besides its actor, so that it appears in
-- their history before it is in a block. Rows are deleted with the transaction.
CREATE TABLE chain_pending_address (
    address BLOB NOT NULL,
    hash    BLOB NOT NULL,
    PRIMARY KEY (address, hash)
) STRICT, WITHOUT ROWID;

CREATE TABLE chain_head (                 -- one row, swapped by every new block
    id       INTEGER PRIMARY KEY CHECK (id = 1),
    height   INTEGER NOT NULL,
    hash     BLOB NOT NULL,
    time     INTEGER NOT NULL,
    next_pos INTEGER NOT NULL,              -- position of the next transaction, i.e. their number
    note     TEXT NOT NULL,               -- the signed checkpoint
    posted   INTEGER NOT NULL DEFAULT 0     -- about the newest time of a transaction, if later
) STRICT;

CREATE TABLE chain_block (
    height    INTEGER PRIMARY KEY,
    hash      BLOB NOT NULL UNIQUE,
    header    BLOB NOT NULL,            -- raw
    first_pos INTEGER NOT NULL,
    tx_count  INTEGER NOT NULL
) STRICT;
CREATE INDEX chain_block_first_pos ON chain_block (first_pos);

-- The raw bytes of sealed transactions, up to 64 of one block in a row, each preceded by
-- its length in 4 bytes big-endian: reading the chain takes few rows, and reading one
-- transaction takes one short row.
CREATE TABLE chain_chunk (
    first_pos INTEGER PRIMARY KEY,          -- position of its first transaction
    height    INTEGER NOT NULL,
    body      BLOB NOT NULL,
    transcripts BLOB                      -- of the games that its transactions end; last, as few reads need it
) STRICT;
CREATE INDEX chain_chunk_height ON chain_chunk (height, first_pos);

-- Three indexes of sealed transactions. A prefix is the first 8 bytes of a hash as a
-- signed integer; a lookup compares the whole hash.
CREATE TABLE chain_index (
    prefix INTEGER NOT NULL,
    pos    INTEGER NOT NULL,
    PRIMARY KEY (prefix, pos)
) STRICT, WITHOUT ROWID;

CREATE TABLE chain_address (
    address BLOB NOT NULL,
    pos     INTEGER NOT NULL,
    PRIMARY KEY (address, pos)
) STRICT, WITHOUT ROWID;

CREATE TABLE chain_token (
    token_id INTEGER NOT NULL,
    pos      INTEGER NOT NULL,
    PRIMARY KEY (token_id, pos)
) STRICT, WITHOUT ROWID;

-- Statistics of the chain by hour and day, updated when blocks are sealed.
CREATE TABLE chain_period (
    seconds      INTEGER NOT NULL,        -- length: 3600 or 86400
    start        INTEGER NOT NULL,        -- Unix milliseconds
    blocks       INTEGER NOT NULL,
    transactions INTEGER NOT NULL,
    created      INTEGER NOT NULL,        -- coins
    destroyed    INTEGER NOT NULL,
    supply       INTEGER NOT NULL,        -- coins in circulation after its last block
    PRIMARY KEY (seconds, start)
) STRICT;

-- The hashes of the log's tree over the blocks, by storage index
-- (golang.org/x/mod/sumdb/tlog, StoredHashIndex).
CREATE TABLE log_hash (
    idx  INTEGER PRIMARY KEY,
    hash BLOB NOT NULL
) STRICT;

-- The recoveries on the chain, with what the chain has only the hash of.
CREATE TABLE chain_recovery (
    number    INTEGER PRIMARY KEY,
    tx        BLOB NOT NULL,
    reason    TEXT NOT NULL,              -- public
    lost_size INTEGER NOT NULL,           -- of the newest signed tree that the chain lacks; 0 for none
    lost_root BLOB NOT NULL,              -- empty for none
    last_pos  INTEGER NOT NULL            -- position behind its last rotation; 0 until all are posted
) STRICT;

-- The latest cosignatures of the log by witness (c2sp.org/tlog-witness).
CREATE TABLE log_cosignature (
    witness    TEXT PRIMARY KEY,          -- its full verifier key, with which the lines can be verified
    size       INTEGER NOT NULL,          -- blocks of the tree
    checkpoint TEXT NOT NULL,             -- as signed by the log
    lines      TEXT NOT NULL              -- signature lines to append
) STRICT;

-- The cosigned checkpoints that are published for ever: the first of every hour, and the first that covers an
-- announcement of rules or a recovery.
CREATE TABLE log_kept (
    number     INTEGER PRIMARY KEY,       -- from 0, in the order of their trees
    size       INTEGER NOT NULL,          -- blocks of the tree
    time       INTEGER NOT NULL,          -- of the newest of these, in Unix milliseconds
    seen       INTEGER NOT NULL,          -- latest time of a cosignature, in Unix milliseconds
    checkpoint TEXT NOT NULL             -- with the cosignatures
) STRICT;
