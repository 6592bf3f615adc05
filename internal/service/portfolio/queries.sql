-- Writing the book. The row of day 2147483647 holds the current state. The row of any other day
-- is a snapshot from before the first change of that day and is never updated.

-- name: SnapshotCoins :exec
-- Stores the current state before the first change of a day; before the very first change of
-- the account, its starting balance. Does nothing on later changes of the day.
INSERT INTO portfolio_coin (address, day, changed, balance, inflow)
SELECT sqlc.arg(address) AS address, CAST(sqlc.arg(day) AS BIGINT) AS day, CAST(sqlc.arg(day) AS BIGINT) AS changed,
       COALESCE(max(n.balance), sqlc.arg(opened)) AS balance, COALESCE(max(n.inflow), sqlc.arg(opened)) AS inflow
FROM portfolio_coin n WHERE n.address = sqlc.arg(address) AND n.day = 2147483647
HAVING COALESCE(max(n.changed), -1) < sqlc.arg(day)
ON CONFLICT (address, day) DO NOTHING;

-- name: PutCoins :exec
INSERT INTO portfolio_coin (address, day, changed, balance, inflow)
VALUES (sqlc.arg(address), 2147483647, sqlc.arg(day), sqlc.arg(balance),
    CAST(sqlc.arg(opened) AS BIGINT) + CAST(sqlc.arg(given) AS BIGINT))
ON CONFLICT (address, day) DO UPDATE
SET changed = CASE WHEN portfolio_coin.changed > excluded.changed THEN portfolio_coin.changed ELSE excluded.changed END,
    balance = excluded.balance, inflow = portfolio_coin.inflow + sqlc.arg(given);

-- name: SnapshotTier :exec
-- As SnapshotCoins, for the sums of a tier.
INSERT INTO portfolio_tier (address, day, tier, changed, acquired, disposed, cost, proceeds)
SELECT sqlc.arg(address) AS address, CAST(sqlc.arg(day) AS BIGINT) AS day, CAST(sqlc.arg(tier) AS BIGINT) AS tier,
       CAST(sqlc.arg(day) AS BIGINT) AS changed, COALESCE(max(n.acquired), 0) AS acquired,
           COALESCE(max(n.disposed), 0) AS disposed,
       COALESCE(max(n.cost), 0) AS cost, COALESCE(max(n.proceeds), 0) AS proceeds
FROM portfolio_tier n WHERE n.address = sqlc.arg(address) AND n.day = 2147483647 AND n.tier = sqlc.arg(tier)
HAVING COALESCE(max(n.changed), -1) < sqlc.arg(day)
ON CONFLICT (address, day, tier) DO NOTHING;

-- name: AddToTier :exec
INSERT INTO portfolio_tier (address, day, tier, changed, acquired, disposed, cost, proceeds)
VALUES (sqlc.arg(address), 2147483647, sqlc.arg(tier), sqlc.arg(day), sqlc.arg(acquired), sqlc.arg(disposed),
    sqlc.arg(cost), sqlc.arg(proceeds))
ON CONFLICT (address, day, tier) DO UPDATE
SET changed = CASE WHEN portfolio_tier.changed > excluded.changed THEN portfolio_tier.changed ELSE excluded.changed END,
    acquired = portfolio_tier.acquired + excluded.acquired, disposed = portfolio_tier.disposed + excluded.disposed,
    cost = portfolio_tier.cost + excluded.cost, proceeds = portfolio_tier.proceeds + excluded.proceeds;

-- name: AddLot :execrows
-- The token that AddToTier has just counted, with the sum of all costs up to it.
INSERT INTO portfolio_lot (address, tier, n, cost)
SELECT t.address, t.tier, t.acquired, t.cost FROM portfolio_tier t
WHERE t.address = sqlc.arg(address) AND t.day = 2147483647 AND t.tier = sqlc.arg(tier);

-- Reading the book ------------------------------------------------------------------

-- name: CoinsAfter :many
SELECT day, balance, inflow FROM portfolio_coin
WHERE address = sqlc.arg(address) AND day > sqlc.arg(after) ORDER BY day;

-- name: TiersAfter :many
SELECT day, tier, acquired, disposed, cost, proceeds FROM portfolio_tier
WHERE address = sqlc.arg(address) AND day > sqlc.arg(after) ORDER BY day, tier;

-- name: CostOfDisposed :many
-- By tier, the FIFO cost of the tokens that an account disposed of.
SELECT d.tier, cast(coalesce((SELECT l.cost FROM portfolio_lot l
    WHERE l.address = d.address AND l.tier = d.tier AND l.n <= d.disposed ORDER BY l.n DESC LIMIT 1),
        0) AS BIGINT) AS cost
FROM portfolio_tier d WHERE d.address = $1 AND d.day = 2147483647 ORDER BY d.tier;

-- Checking --------------------------------------------------------------------------

-- name: DivergentCoins :many
-- Accounts whose balance differs in the ledger.
SELECT c.address, c.balance, a.balance AS held FROM portfolio_coin c JOIN ledger_account a ON a.address = c.address
WHERE c.day = 2147483647 AND c.balance <> a.balance ORDER BY c.address LIMIT sqlc.arg(count);

-- name: DivergentTokens :many
-- Accounts whose number of tokens of a tier differs in the ledger.
SELECT p.address, p.tier, p.acquired - p.disposed AS booked,
       (SELECT count(*) FROM ledger_token t WHERE t.owner = p.address AND t.tier = p.tier) AS held
FROM portfolio_tier p
WHERE p.day = 2147483647
  AND p.acquired - p.disposed <> (SELECT count(*) FROM ledger_token t WHERE t.owner = p.address AND t.tier = p.tier)
ORDER BY p.address, p.tier LIMIT sqlc.arg(count);
