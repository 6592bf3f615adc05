-- +goose Up

-- Statistics of the chain by hour and day, updated when blocks are sealed. They follow
-- from the blocks, and are recomputed when they do not match.
CREATE TABLE chain_period (
    seconds      BIGINT NOT NULL,         -- length: 3600 or 86400
    start        BIGINT NOT NULL,         -- Unix milliseconds
    blocks       BIGINT NOT NULL,
    transactions BIGINT NOT NULL,
    created      BIGINT NOT NULL,         -- coins
    destroyed    BIGINT NOT NULL,
    supply       BIGINT NOT NULL,         -- coins in circulation after its last block
    PRIMARY KEY (seconds, start)
);
