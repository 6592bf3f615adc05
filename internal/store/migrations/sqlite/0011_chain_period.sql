-- +goose Up

-- Statistics of the chain by hour and day, updated when blocks are sealed. They follow
-- from the blocks, and are recomputed when they do not match.
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
