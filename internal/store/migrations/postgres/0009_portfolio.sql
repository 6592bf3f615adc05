-- +goose Up

-- The book of account balances. The row of a day contains the totals since the account was
-- opened as of before the first change of that day; the row of day 2147483647 contains the
-- current totals. The state at the end of a day is in the first row after it, so a history
-- is read without earlier rows and without summing.

CREATE TABLE portfolio_coin (
    address BYTEA NOT NULL,
    day     BIGINT NOT NULL,             -- UTC, counted from 1970-01-01
    changed BIGINT NOT NULL,             -- the day of the last change
    balance BIGINT NOT NULL,
    inflow  BIGINT NOT NULL,             -- coins granted: at opening and by the faucet
    PRIMARY KEY (address, day)
);

CREATE TABLE portfolio_tier (
    address  BYTEA NOT NULL,
    day      BIGINT NOT NULL,
    tier     BIGINT NOT NULL,
    changed  BIGINT NOT NULL,
    acquired BIGINT NOT NULL,            -- tokens won or bought
    disposed BIGINT NOT NULL,            -- tokens sold or burnt
    cost     BIGINT NOT NULL,            -- coins paid for bought tokens
    proceeds BIGINT NOT NULL,            -- coins received for sold tokens
    PRIMARY KEY (address, day, tier)
);

-- Cumulative cost of an account's acquired tokens of a tier up to the n-th. Tokens without
-- cost have no row.
CREATE TABLE portfolio_lot (
    address BYTEA NOT NULL,
    tier    BIGINT NOT NULL,
    n       BIGINT NOT NULL,
    cost    BIGINT NOT NULL,
    PRIMARY KEY (address, tier, n)
);
