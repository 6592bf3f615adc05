-- +goose Up

-- The market: listings, sales and the house's offers.

CREATE TABLE market_listing (
    listing_id INTEGER PRIMARY KEY,
    token_id   INTEGER NOT NULL,
    tier       INTEGER NOT NULL,
    tier_down  INTEGER NOT NULL,          -- -tier: one ascending index orders by highest tier, then lowest price
    price      INTEGER NOT NULL,
    seller     BLOB NOT NULL,
    buyer      BLOB,
    status     TEXT NOT NULL,             -- active, sold, cancelled
    listed_at  INTEGER NOT NULL,
    closed_at  INTEGER,
    sale_tx    BLOB
) STRICT;
-- One active listing per token; and the indexes of the listing pages.
CREATE UNIQUE INDEX market_listing_token ON market_listing (token_id) WHERE status = 'active';
CREATE INDEX market_listing_price ON market_listing (price, listing_id) WHERE status = 'active';
CREATE INDEX market_listing_tier ON market_listing (tier, price, listing_id) WHERE status = 'active';
CREATE INDEX market_listing_tier_down ON market_listing (tier_down, price, listing_id) WHERE status = 'active';
CREATE INDEX market_listing_newest ON market_listing (tier, listing_id) WHERE status = 'active';
CREATE INDEX market_listing_active ON market_listing (listing_id) WHERE status = 'active';
CREATE INDEX market_listing_active_seller ON market_listing (seller, token_id) WHERE status = 'active';
CREATE INDEX market_listing_seller ON market_listing (seller, listing_id);

-- The sales of a tier, numbered 1, 2, 3, …, each with the running sum of prices: the
-- volume of any period is the difference of two rows. at never decreases.
CREATE TABLE market_sale (
    tier       INTEGER NOT NULL,
    n          INTEGER NOT NULL,
    at         INTEGER NOT NULL,
    price      INTEGER NOT NULL,
    coins      INTEGER NOT NULL,          -- prices of the sales 1 to n
    token_id   INTEGER NOT NULL,
    listing_id INTEGER NOT NULL UNIQUE,
    PRIMARY KEY (tier, n)
) STRICT, WITHOUT ROWID;
CREATE INDEX market_sale_at ON market_sale (tier, at, n);
CREATE INDEX market_sale_token ON market_sale (token_id, n);

-- Statistics of each tier, maintained without counting. Every listing, sale and
-- cancellation changes one row, last.
CREATE TABLE market_tier (
    tier    INTEGER PRIMARY KEY,
    depth   INTEGER NOT NULL,             -- active listings
    sales   INTEGER NOT NULL,             -- number of sales: n of the last one
    coins   INTEGER NOT NULL,             -- sum of their prices
    recent  BLOB NOT NULL,                -- the last 20 sales: price and time, 8 bytes each, big-endian
    version INTEGER NOT NULL              -- incremented by every change
) STRICT;

-- The prices of a day, and recent at its end.
CREATE TABLE market_day (
    tier       INTEGER NOT NULL,
    day        INTEGER NOT NULL,          -- UTC, counted from 1970-01-01
    open       INTEGER NOT NULL,
    high       INTEGER NOT NULL,
    low        INTEGER NOT NULL,
    last       INTEGER NOT NULL,
    sales      INTEGER NOT NULL,
    coins      INTEGER NOT NULL,
    recent     BLOB NOT NULL,
    PRIMARY KEY (tier, day)
) STRICT, WITHOUT ROWID;
CREATE INDEX market_day_day ON market_day (day, tier);

CREATE TABLE buyback_offer (
    offer_id   INTEGER PRIMARY KEY,
    token_id   INTEGER NOT NULL,
    tier       INTEGER NOT NULL,
    price      INTEGER NOT NULL,
    seller     BLOB NOT NULL,
    status     TEXT NOT NULL,             -- open, accepted, declined, expired, void
    offered_at INTEGER NOT NULL,
    expires_at INTEGER NOT NULL,
    closed_at  INTEGER,
    tx         BLOB,
    bound      INTEGER NOT NULL DEFAULT 0   -- 1 when the token is bound, and so the price
) STRICT;
-- One open offer per token.
CREATE UNIQUE INDEX buyback_offer_token ON buyback_offer (token_id) WHERE status = 'open';
