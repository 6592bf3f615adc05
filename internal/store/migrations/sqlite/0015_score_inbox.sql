-- +goose Up

-- What the nouns report to package score, in the transactions in which it came about, and
-- what nobody has reacted to yet. A loop does, and deletes the rows it has reacted to in
-- the transaction that stores what follows of them.
CREATE TABLE score_inbox (
    id         INTEGER PRIMARY KEY,       -- the order of reacting
    posted_at  INTEGER NOT NULL,
    kind       TEXT NOT NULL,             -- run, duel, sale, buyback, team, team_closed, renamed
    account    BLOB NOT NULL,             -- the first side of a duel, the seller; empty for a closed team
    other      BLOB,                      -- the other side, the buyer
    team       INTEGER NOT NULL,          -- that the account was in, or that was closed; 0 for none
    other_team INTEGER NOT NULL,          -- that the other one was in
    body       TEXT NOT NULL              -- JSON: the rest
) STRICT;

-- Reports that could not be reacted to, as they were: they are tried again when a node
-- begins to react.
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

CREATE TABLE score_turn (                 -- one row, swapped by who reacts or closes a season
    id   INTEGER PRIMARY KEY CHECK (id = 1),
    turn INTEGER NOT NULL
) STRICT;
INSERT INTO score_turn (id, turn) VALUES (1, 0);
