-- +goose Up

-- Runs against the house.

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
-- Runs that have ended, by their end: what GET /api/data/runs reads.
CREATE INDEX run_data ON run (ended_at, id) WHERE ended_at IS NOT NULL;
