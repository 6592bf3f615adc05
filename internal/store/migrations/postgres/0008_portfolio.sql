-- +goose Up

-- The book of what accounts had: the row of a day holds the sums since the account was
-- opened as they were before the first change of that day, and the row of the day
-- 2147483647 those of now. So what there was at the end of a day stands in the first row
-- after it: a history is read without what came before it, and nothing is added up.

CREATE TABLE portfolio_coin (
    address BYTEA NOT NULL,
    day     BIGINT NOT NULL,             -- UTC, counted from 1970-01-01
    changed BIGINT NOT NULL,             -- the day of the last change
    balance BIGINT NOT NULL,
    inflow  BIGINT NOT NULL,             -- coins that were given to it: at its opening, by the faucet
    PRIMARY KEY (address, day)
);

CREATE TABLE portfolio_tier (
    address  BYTEA NOT NULL,
    day      BIGINT NOT NULL,
    tier     BIGINT NOT NULL,
    changed  BIGINT NOT NULL,
    acquired BIGINT NOT NULL,            -- tokens won or bought
    disposed BIGINT NOT NULL,            -- tokens sold or burnt
    cost     BIGINT NOT NULL,            -- coins paid for those bought
    proceeds BIGINT NOT NULL,            -- coins received for those sold
    PRIMARY KEY (address, day, tier)
);

-- What the tokens of a tier that an account acquired have cost up to the n-th. Those that
-- cost nothing have no row.
CREATE TABLE portfolio_lot (
    address BYTEA NOT NULL,
    tier    BIGINT NOT NULL,
    n       BIGINT NOT NULL,
    cost    BIGINT NOT NULL,
    PRIMARY KEY (address, tier, n)
);
