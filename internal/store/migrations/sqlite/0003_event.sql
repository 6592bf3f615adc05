-- +goose Up

-- The log of what happened, for those who follow it live. Events are posted without
-- a place in the order, into event_inbox, and given one when they are moved into
-- event: package event says why.

CREATE TABLE event_inbox (
    id        INTEGER PRIMARY KEY,
    topic     TEXT NOT NULL,
    kind      TEXT NOT NULL,
    body      TEXT NOT NULL,              -- JSON on one line
    posted_at INTEGER NOT NULL
) STRICT;

CREATE TABLE event (
    seq       INTEGER PRIMARY KEY,        -- without gaps, in the order of commits
    topic     TEXT NOT NULL,
    kind      TEXT NOT NULL,
    body      TEXT NOT NULL,
    posted_at INTEGER NOT NULL,
    batch     INTEGER NOT NULL           -- random, of the transaction that numbered it: tells histories apart
) STRICT;

CREATE TABLE event_head (                 -- one row, swapped by who numbers events
    id  INTEGER PRIMARY KEY CHECK (id = 1),
    seq INTEGER NOT NULL                  -- of the last event, also once that is deleted
) STRICT;
INSERT INTO event_head (id, seq) VALUES (1, 0);
