-- +goose Up

-- Reports of the services to package score, inserted in the transactions that cause them.
-- A loop processes them, and deletes them in the transaction that stores the results.
CREATE TABLE score_inbox (
    id         INTEGER PRIMARY KEY,       -- processing order
    posted_at  INTEGER NOT NULL,
    kind       TEXT NOT NULL,             -- run, duel, sale, buyback, team, team_closed, renamed
    account    BLOB NOT NULL,             -- the first side of a duel, the seller; empty for a closed team
    other      BLOB,                      -- the other side, the buyer
    team       INTEGER NOT NULL,          -- of the account, or the closed team; 0 for none
    other_team INTEGER NOT NULL,          -- of the other account
    body       TEXT NOT NULL              -- JSON: the rest
) STRICT;

-- Reports that failed to process, unchanged: they are retried when a node starts
-- processing.
CREATE TABLE score_refused (
    id         INTEGER PRIMARY KEY,
    posted_at  INTEGER NOT NULL,
    kind       TEXT NOT NULL,
    account    BLOB NOT NULL,
    other      BLOB,
    team       INTEGER NOT NULL,
    other_team INTEGER NOT NULL,
    body       TEXT NOT NULL,
    error      TEXT NOT NULL,
    refused_at INTEGER NOT NULL
) STRICT;

CREATE TABLE score_step (                 -- one row, swapped when a node processes reports or closes a season
    id     INTEGER PRIMARY KEY CHECK (id = 1),
    number INTEGER NOT NULL               -- of steps stored so far
) STRICT;
INSERT INTO score_step (id, number) VALUES (1, 0);
