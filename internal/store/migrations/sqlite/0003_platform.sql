-- +goose Up

-- What services share. Events, for live streams, are posted to event_inbox without a sequence
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

-- Responses to repeat when a call comes again with the same Idempotency-Key.
CREATE TABLE idempotency (
    account    BLOB NOT NULL,
    name       TEXT NOT NULL,             -- the key as the client chose it
    request    BLOB NOT NULL,           -- SHA-256 of method, path and body
    answer     BLOB NOT NULL,           -- the body of the response, encrypted
    created_at INTEGER NOT NULL,
    PRIMARY KEY (account, name)
) STRICT;
CREATE INDEX idempotency_created_at ON idempotency (created_at);

-- Leases for tasks that one node performs at a time, such as sealing blocks. The holder
-- increments beat while it is alive; a node that takes over increments fence, so that late
-- writes of the previous holder are refused.
CREATE TABLE lease (
    name   TEXT PRIMARY KEY,
    holder TEXT NOT NULL,                 -- process id; '' when released
    fence  INTEGER NOT NULL,
    beat   INTEGER NOT NULL
) STRICT;
