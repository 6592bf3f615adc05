-- +goose Up

-- Addresses affected by a pending transaction besides its actor, so that it appears in
-- their history before it is in a block. Rows are deleted with the transaction.
CREATE TABLE chain_pending_address (
    address BYTEA NOT NULL,
    hash    BYTEA NOT NULL,
    PRIMARY KEY (address, hash)
);
