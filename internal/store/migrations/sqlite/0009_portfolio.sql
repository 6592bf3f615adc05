-- +goose Up

-- The book of account balances. The row of a day contains the totals since the account was
-- opened as of before the first change of that day; the row of day 2147483647 contains the
-- current totals. The state at the end of a day is in the first row after it, so a history
-- is read without earlier rows and without summing.

CREATE TABLE portfolio_coin (
    address BLOB NOT NULL,
    day     INTEGER NOT NULL,             -- UTC, counted from 1970-01-01
    changed INTEGER NOT NULL,             -- the day of the last change
    balance INTEGER NOT NULL,
    inflow  INTEGER NOT NULL,             -- coins granted: at opening and by the faucet
    PRIMARY KEY (address, day)
) STRICT, WITHOUT ROWID;

CREATE TABLE portfolio_tier (
    address  BLOB NOT NULL,
    day      INTEGER NOT NULL,
    tier     INTEGER NOT NULL,
    changed  INTEGER NOT NULL,
    acquired INTEGER NOT NULL,            -- tokens won or bought
    disposed INTEGER NOT NULL,            -- tokens sold or burnt
    cost     INTEGER NOT NULL,            -- coins paid for bought tokens
    proceeds INTEGER NOT NULL,            -- coins received for sold tokens
    PRIMARY KEY (address, day, tier)
) STRICT, WITHOUT ROWID;

-- Cumulative cost of an account's acquired tokens of a tier up to the n-th. Tokens without
-- cost have no row.
CREATE TABLE portfolio_lot (
    address BLOB NOT NULL,
    tier    INTEGER NOT NULL,
    n       INTEGER NOT NULL,
    cost    INTEGER NOT NULL,
    PRIMARY KEY (address, tier, n)
) STRICT, WITHOUT ROWID;
