-- +goose Up

-- The book of what accounts had: the row of a day holds the sums since the account was
-- opened as they were before the first change of that day, and the row of the day
-- 2147483647 those of now. So what there was at the end of a day stands in the first row
-- after it: a history is read without what came before it, and nothing is added up.

CREATE TABLE portfolio_coin (
    address BLOB NOT NULL,
    day     INTEGER NOT NULL,             -- UTC, counted from 1970-01-01
    changed INTEGER NOT NULL,             -- the day of the last change
    balance INTEGER NOT NULL,
    inflow  INTEGER NOT NULL,             -- coins that were given to it: at its opening, by the faucet
    PRIMARY KEY (address, day)
) STRICT, WITHOUT ROWID;

CREATE TABLE portfolio_tier (
    address  BLOB NOT NULL,
    day      INTEGER NOT NULL,
    tier     INTEGER NOT NULL,
    changed  INTEGER NOT NULL,
    acquired INTEGER NOT NULL,            -- tokens won or bought
    disposed INTEGER NOT NULL,            -- tokens sold or burnt
    cost     INTEGER NOT NULL,            -- coins paid for those bought
    proceeds INTEGER NOT NULL,            -- coins received for those sold
    PRIMARY KEY (address, day, tier)
) STRICT, WITHOUT ROWID;

-- What the tokens of a tier that an account acquired have cost up to the n-th. Those that
-- cost nothing have no row.
CREATE TABLE portfolio_lot (
    address BLOB NOT NULL,
    tier    INTEGER NOT NULL,
    n       INTEGER NOT NULL,
    cost    INTEGER NOT NULL,
    PRIMARY KEY (address, tier, n)
) STRICT, WITHOUT ROWID;
