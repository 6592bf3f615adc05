-- +goose Up

-- Runs against the house.

CREATE TABLE run_key (                    -- one row
    id          BIGINT PRIMARY KEY CHECK (id = 1),
    fingerprint TEXT NOT NULL             -- of the key that encrypts the seeds
);

-- The seed chain behind each account's outstanding commitment.
CREATE TABLE run_commitment (
    account    BYTEA PRIMARY KEY,
    commitment BYTEA NOT NULL,
    seed       BYTEA NOT NULL            -- the last seed and an early one, encrypted
);

CREATE TABLE run (
    id          TEXT PRIMARY KEY,
    account     BYTEA NOT NULL,
    status      TEXT NOT NULL,            -- active, deciding, claimed, lost, abandoned, void
    entry       TEXT NOT NULL,
    client_seed TEXT NOT NULL,
    commitment  BYTEA NOT NULL,
    seed        BYTEA NOT NULL,          -- the last seed and an early one, encrypted
    first_tier  BIGINT NOT NULL,
    cleared     BIGINT NOT NULL,
    throws      BIGINT NOT NULL,
    transcript  TEXT NOT NULL,            -- raw
    entropy     TEXT NOT NULL,            -- texts of the throws, a list of JSON
    token_id    BIGINT,
    commit_tx   BYTEA NOT NULL,
    start_tx    BYTEA NOT NULL,
    end_tx      BYTEA,
    started_at  BIGINT NOT NULL,
    thrown_at   BIGINT NOT NULL,           -- 0 before the first throw
    acted_at    BIGINT NOT NULL,
    ended_at    BIGINT,
    version     BIGINT NOT NULL,
    bound       BIGINT NOT NULL DEFAULT 0, -- 1 when it wins a bound token
    unranked    BIGINT NOT NULL DEFAULT 0   -- 1 for a daily run that is not on the day's board
);
-- One unfinished run per account; and the index of the sweeper.
CREATE UNIQUE INDEX run_unfinished ON run (account) WHERE ended_at IS NULL;
CREATE INDEX run_left_alone ON run (started_at) WHERE ended_at IS NULL;
CREATE INDEX run_account ON run (account, started_at);
-- Runs that have ended, by their end: what GET /api/data/runs reads.
CREATE INDEX run_data ON run (ended_at, id) WHERE ended_at IS NOT NULL;
