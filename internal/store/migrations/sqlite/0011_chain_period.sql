-- +goose Up

-- What happened on the chain in each hour and each day that has a block, counted as blocks
-- are sealed. It follows from the blocks, and is worked out from them when it does not fit.
CREATE TABLE chain_period (
    seconds      INTEGER NOT NULL,        -- length: 3600 or 86400
    start        INTEGER NOT NULL,        -- Unix milliseconds
    blocks       INTEGER NOT NULL,
    transactions INTEGER NOT NULL,
    created      INTEGER NOT NULL,        -- coins
    destroyed    INTEGER NOT NULL,
    supply       INTEGER NOT NULL,        -- coins that are there after its last block
    PRIMARY KEY (seconds, start)
) STRICT;
