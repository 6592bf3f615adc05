-- Keeping the book. A row of a day that is there stays as it is: it was written before the
-- first change of that day. 2147483647 is now.

-- name: CoinNow :one
SELECT changed, balance, inflow FROM portfolio_coin WHERE address = $1 AND day = 2147483647;

-- name: KeepCoin :exec
INSERT INTO portfolio_coin (address, day, changed, balance, inflow)
VALUES (sqlc.arg(address), sqlc.arg(day), sqlc.arg(day), sqlc.arg(balance), sqlc.arg(inflow))
ON CONFLICT (address, day) DO NOTHING;

-- name: PutCoin :exec
INSERT INTO portfolio_coin (address, day, changed, balance, inflow)
VALUES (sqlc.arg(address), 2147483647, sqlc.arg(changed), sqlc.arg(balance), sqlc.arg(inflow))
ON CONFLICT (address, day) DO UPDATE SET changed = excluded.changed, balance = excluded.balance, inflow = excluded.inflow;

-- name: TierNow :one
SELECT changed, acquired, disposed, cost, proceeds FROM portfolio_tier
WHERE address = sqlc.arg(address) AND day = 2147483647 AND tier = sqlc.arg(tier);

-- name: KeepTier :exec
INSERT INTO portfolio_tier (address, day, tier, changed, acquired, disposed, cost, proceeds)
VALUES (sqlc.arg(address), sqlc.arg(day), sqlc.arg(tier), sqlc.arg(day), sqlc.arg(acquired), sqlc.arg(disposed), sqlc.arg(cost), sqlc.arg(proceeds))
ON CONFLICT (address, day, tier) DO NOTHING;

-- name: PutTier :exec
INSERT INTO portfolio_tier (address, day, tier, changed, acquired, disposed, cost, proceeds)
VALUES (sqlc.arg(address), 2147483647, sqlc.arg(tier), sqlc.arg(changed), sqlc.arg(acquired), sqlc.arg(disposed), sqlc.arg(cost), sqlc.arg(proceeds))
ON CONFLICT (address, day, tier) DO UPDATE SET changed = excluded.changed,
    acquired = excluded.acquired, disposed = excluded.disposed, cost = excluded.cost, proceeds = excluded.proceeds;

-- name: InsertLot :exec
INSERT INTO portfolio_lot (address, tier, n, cost) VALUES ($1, $2, $3, $4);

-- Reading it ------------------------------------------------------------------------

-- name: CoinsAfter :many
SELECT day, balance, inflow FROM portfolio_coin
WHERE address = sqlc.arg(address) AND day > sqlc.arg(after) ORDER BY day;

-- name: TiersAfter :many
SELECT day, tier, acquired, disposed, cost, proceeds FROM portfolio_tier
WHERE address = sqlc.arg(address) AND day > sqlc.arg(after) ORDER BY day, tier;

-- name: CostOfDisposed :many
-- By tier: what the tokens that an account disposed of have cost it, first in, first out.
SELECT d.tier, cast(coalesce((SELECT l.cost FROM portfolio_lot l
    WHERE l.address = d.address AND l.tier = d.tier AND l.n <= d.disposed ORDER BY l.n DESC LIMIT 1), 0) AS BIGINT) AS cost
FROM portfolio_tier d WHERE d.address = $1 AND d.day = 2147483647 ORDER BY d.tier;

-- Checking --------------------------------------------------------------------------

-- name: StrayCoins :many
-- Accounts whose balance is another in the ledger.
SELECT c.address, c.balance, a.balance AS held FROM portfolio_coin c JOIN ledger_account a ON a.address = c.address
WHERE c.day = 2147483647 AND c.balance <> a.balance ORDER BY c.address LIMIT sqlc.arg(count);

-- name: StrayTokens :many
-- Accounts that hold another number of tokens of a tier in the ledger.
SELECT p.address, p.tier, p.acquired - p.disposed AS booked,
       (SELECT count(*) FROM ledger_token t WHERE t.owner = p.address AND t.tier = p.tier) AS held
FROM portfolio_tier p
WHERE p.day = 2147483647
  AND p.acquired - p.disposed <> (SELECT count(*) FROM ledger_token t WHERE t.owner = p.address AND t.tier = p.tier)
ORDER BY p.address, p.tier LIMIT sqlc.arg(count);
