-- +goose Up

-- Duels: all of one in one row, which each step reads once and writes once.
CREATE TABLE duel (
    seq          INTEGER PRIMARY KEY,
    code         TEXT NOT NULL UNIQUE,
    kind         TEXT NOT NULL,         -- open, spar or ranked
    status       TEXT NOT NULL,         -- open, active, finished, expired, cancelled
    a            BLOB NOT NULL,
    a_name       TEXT NOT NULL,         -- as it was when the side came in
    a_kind       TEXT NOT NULL,         -- guest, account or bot
    b            BLOB,                 -- null until somebody joins
    b_name       TEXT NOT NULL,
    b_kind       TEXT NOT NULL,
    stake        INTEGER NOT NULL,
    rated        INTEGER NOT NULL,         -- 0 or 1
    rounds       TEXT NOT NULL,         -- decided ones, as the transcript has them
    commitment_a BLOB,                 -- of the round that is played
    commitment_b BLOB,
    reveal_a     BLOB,                 -- move:salt; hidden until the round is decided
    reveal_b     BLOB,
    deadline     INTEGER NOT NULL,         -- of what is due next; once over, of what was last
    winner       TEXT NOT NULL,         -- a, b or nothing
    created_at   INTEGER NOT NULL,
    started_at   INTEGER,
    ended_at     INTEGER,                  -- finished, expired or cancelled
    stake_a_tx   BLOB,
    stake_b_tx   BLOB,
    settle_tx    BLOB,
    version      INTEGER NOT NULL
) STRICT;
CREATE INDEX duel_status ON duel (status, seq);
CREATE INDEX duel_a ON duel (a, seq);
CREATE INDEX duel_b ON duel (b, seq) WHERE b IS NOT NULL;
-- What goes on; a step touches the first of them alone.
CREATE INDEX duel_deadline ON duel (deadline) WHERE ended_at IS NULL;
CREATE INDEX duel_unfinished_a ON duel (a, seq) WHERE ended_at IS NULL;
CREATE INDEX duel_unfinished_b ON duel (b, seq) WHERE ended_at IS NULL AND b IS NOT NULL;

-- How many rated duels two people have begun against each other on a day: only so many
-- count, and of joins at the same time each draws its own number here.
CREATE TABLE duel_pair (
    low   BLOB NOT NULL,              -- the smaller of the two addresses
    high  BLOB NOT NULL,
    day   INTEGER NOT NULL,               -- days since 1970, UTC
    rated INTEGER NOT NULL,
    PRIMARY KEY (low, high, day)
) STRICT, WITHOUT ROWID;
