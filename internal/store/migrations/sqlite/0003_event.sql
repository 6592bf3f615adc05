-- +goose Up

-- The event log, for live streams. Events are posted to event_inbox without a sequence
-- number, and receive one when they move into event: package event explains the order.

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
    batch     INTEGER NOT NULL           -- random, of the transaction that numbered it: distinguishes histories
) STRICT;

CREATE TABLE event_head (                 -- one row, swapped by the node that numbers events
    id  INTEGER PRIMARY KEY CHECK (id = 1),
    seq INTEGER NOT NULL                  -- of the last event, kept after its deletion
) STRICT;
INSERT INTO event_head (id, seq) VALUES (1, 0);
