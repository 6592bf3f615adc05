-- +goose Up

-- What happened on the chain in each hour and each day that has a block, counted as blocks
-- are sealed. It follows from the blocks, and is worked out from them when it does not fit.
CREATE TABLE chain_period (
    seconds      BIGINT NOT NULL,         -- length: 3600 or 86400
    start        BIGINT NOT NULL,         -- Unix milliseconds
    blocks       BIGINT NOT NULL,
    transactions BIGINT NOT NULL,
    created      BIGINT NOT NULL,         -- coins
    destroyed    BIGINT NOT NULL,
    supply       BIGINT NOT NULL,         -- coins that are there after its last block
    PRIMARY KEY (seconds, start)
);
