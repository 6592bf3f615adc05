-- +goose Up

-- Facts about the service itself: the chain's name and the fingerprint of the keys that
-- belong to this database.
CREATE TABLE meta (
    name  TEXT PRIMARY KEY,
    value TEXT NOT NULL
) STRICT;

-- Accounts ---------------------------------------------------------------------

CREATE TABLE account (
    address      BLOB PRIMARY KEY,      -- 20 bytes
    kind         TEXT NOT NULL,           -- guest, account or bot
    username     TEXT NOT NULL,
    username_key TEXT NOT NULL UNIQUE,    -- the username in lower case, without - and _
    created_at   INTEGER NOT NULL,          -- all times are Unix milliseconds
    faucet_at    INTEGER                    -- time of the last faucet payment
) STRICT;

CREATE TABLE session (
    token_hash BLOB PRIMARY KEY,        -- SHA-256 of the cookie's token
    address    BLOB NOT NULL REFERENCES account (address),
    created_at INTEGER NOT NULL,
    seen_at    INTEGER NOT NULL
) STRICT;
CREATE INDEX session_address ON session (address);

-- Ledger: the state that the chain's transactions lead to ---------------------------

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
    entry_day     INTEGER NOT NULL DEFAULT 0, -- of the last free or daily entry, in UTC days since 1970
    free_entries  INTEGER NOT NULL DEFAULT 0, -- on that day, as daily_entries
    daily_entries INTEGER NOT NULL DEFAULT 0
) STRICT, WITHOUT ROWID;

CREATE TABLE ledger_token (
    token_id INTEGER PRIMARY KEY,
    tier     INTEGER NOT NULL,
    owner    BLOB,                      -- null once destroyed
    run_id   TEXT,                        -- the run that awarded it
    bound    INTEGER NOT NULL DEFAULT 0   -- 1 when it cannot be sold to another account
) STRICT;
CREATE INDEX ledger_token_owner ON ledger_token (owner, token_id) WHERE owner IS NOT NULL;

CREATE TABLE ledger_game (                -- decisions that are final: chain.Game
    id    TEXT PRIMARY KEY,               -- run:…, duel:… or season:…
    step  INTEGER NOT NULL,
    a     BLOB,
    b     BLOB,
    tier  INTEGER NOT NULL,
    stake INTEGER NOT NULL,
    bound INTEGER NOT NULL DEFAULT 0   -- 1 for a run that wins a bound token
) STRICT, WITHOUT ROWID;

-- Chain: transactions that wait for a block, and the blocks ----------------------------

CREATE TABLE chain_pending (
    seq   INTEGER PRIMARY KEY,           -- assigned while the affected accounts are locked
    hash  BLOB NOT NULL UNIQUE,
    actor BLOB,
    raw   BLOB NOT NULL,
    transcript BLOB                       -- of the game that it ends
) STRICT;

CREATE TABLE chain_head (                 -- one row, swapped by every new block
    id       INTEGER PRIMARY KEY CHECK (id = 1),
    height   INTEGER NOT NULL,
    hash     BLOB NOT NULL,
    time     INTEGER NOT NULL,
    next_pos INTEGER NOT NULL,              -- position of the next transaction, i.e. their number
    note     TEXT NOT NULL                -- the signed checkpoint
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

-- The hashes of the log's tree over the blocks, by storage index
-- (golang.org/x/mod/sumdb/tlog, StoredHashIndex).
CREATE TABLE log_hash (
    idx  INTEGER PRIMARY KEY,
    hash BLOB NOT NULL
) STRICT;

-- House runs ---------------------------------------------------------------------

CREATE TABLE run_key (                    -- one row
    id          INTEGER PRIMARY KEY CHECK (id = 1),
    fingerprint TEXT NOT NULL             -- of the key that encrypts the seeds
) STRICT;

-- The seed chain behind each account's outstanding commitment.
CREATE TABLE run_commitment (
    account    BLOB PRIMARY KEY,
    commitment BLOB NOT NULL,
    seed       BLOB NOT NULL            -- the last seed and an early one, encrypted
) STRICT;

CREATE TABLE run (
    id          TEXT PRIMARY KEY,
    account     BLOB NOT NULL,
    status      TEXT NOT NULL,            -- active, deciding, claimed, lost, abandoned, void
    entry       TEXT NOT NULL,
    client_seed TEXT NOT NULL,
    commitment  BLOB NOT NULL,
    seed        BLOB NOT NULL,          -- the last seed and an early one, encrypted
    first_tier  INTEGER NOT NULL,
    cleared     INTEGER NOT NULL,
    throws      INTEGER NOT NULL,
    transcript  TEXT NOT NULL,            -- raw
    entropy     TEXT NOT NULL,            -- texts of the throws, a list of JSON
    token_id    INTEGER,
    commit_tx   BLOB NOT NULL,
    start_tx    BLOB NOT NULL,
    end_tx      BLOB,
    started_at  INTEGER NOT NULL,
    thrown_at   INTEGER NOT NULL,           -- 0 before the first throw
    acted_at    INTEGER NOT NULL,
    ended_at    INTEGER,
    version     INTEGER NOT NULL,
    bound       INTEGER NOT NULL DEFAULT 0, -- 1 when it wins a bound token
    unranked    INTEGER NOT NULL DEFAULT 0   -- 1 for a daily run that is not on the day's board
) STRICT;
-- One unfinished run per account; and the index of the sweeper.
CREATE UNIQUE INDEX run_unfinished ON run (account) WHERE ended_at IS NULL;
CREATE INDEX run_left_alone ON run (started_at) WHERE ended_at IS NULL;
CREATE INDEX run_account ON run (account, started_at);
