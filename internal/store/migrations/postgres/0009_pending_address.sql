-- +goose Up

-- Whom a pending transaction concerns beside its actor, so that all of them see it in
-- their history before it is in a block. Its rows go when it does.
CREATE TABLE chain_pending_address (
    address BYTEA NOT NULL,
    hash    BYTEA NOT NULL,
    PRIMARY KEY (address, hash)
);
