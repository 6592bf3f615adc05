-- Listings --------------------------------------------------------------------------

-- name: InsertListing :one
-- Returns no row when the token is not the seller's, or is locked or bound; locking it returns the reason.
INSERT INTO market_listing (token_id, tier, tier_down, price, seller, status, listed_at)
SELECT t.token_id, t.tier, -t.tier, CAST(sqlc.arg(price) AS BIGINT), t.owner, 'active',
    CAST(sqlc.arg(listed_at) AS BIGINT)
FROM ledger_token t WHERE t.token_id = sqlc.arg(token_id) AND t.owner = sqlc.arg(seller) AND t.locked = 0
  AND t.bound = 0
RETURNING listing_id, cast(coalesce((SELECT a.username FROM account a WHERE a.address = sqlc.arg(seller)),
    '') AS TEXT) AS username;

-- name: GetListing :one
SELECT l.listing_id, l.token_id, l.tier, l.price, l.seller, l.buyer, l.status, l.listed_at, l.closed_at, l.sale_tx,
       a.username
FROM market_listing l LEFT JOIN account a ON a.address = l.seller
WHERE l.listing_id = $1;

-- name: ActiveListingOf :one
SELECT l.listing_id, l.token_id, l.tier, l.price, l.seller, l.buyer, l.status, l.listed_at, l.closed_at, l.sale_tx,
       a.username
FROM market_listing l LEFT JOIN account a ON a.address = l.seller
WHERE l.token_id = $1 AND l.status = 'active';

-- name: CloseListing :execrows
-- Compare-and-swap: of concurrent buyers, or a buyer and the cancelling seller, one succeeds.
UPDATE market_listing
SET status = sqlc.arg(status), buyer = sqlc.narg(buyer), closed_at = sqlc.arg(closed_at), sale_tx = sqlc.narg(sale_tx)
WHERE listing_id = sqlc.arg(listing_id) AND status = 'active';

-- Active listings in every order, behind a cursor. With thousands of listings at one price,
-- SQLite cannot seek to the cursor in an index on (price, listing_id), because listing_id is
-- the rowid: (price, listing_id) > (…) reads all listings of that price. So each query seeks
-- the listings of the same price and those of later prices separately.

-- name: ByPrice :many
SELECT l.listing_id, l.token_id, l.tier, l.price, l.seller, l.buyer, l.status, l.listed_at, l.closed_at, l.sale_tx,
       a.username
FROM (
    SELECT listing_id FROM (
        SELECT m.listing_id FROM market_listing m
        WHERE m.status = 'active' AND m.price = sqlc.arg(price) AND m.listing_id > sqlc.arg(listing_id)
        ORDER BY m.listing_id LIMIT sqlc.arg(count)
    ) AS same_price
    UNION ALL
    SELECT listing_id FROM (
        SELECT m.listing_id FROM market_listing m
        WHERE m.status = 'active' AND m.price > sqlc.arg(price)
        ORDER BY m.price, m.listing_id LIMIT sqlc.arg(count)
    ) AS other_prices
) AS page
JOIN market_listing l ON l.listing_id = page.listing_id
LEFT JOIN account a ON a.address = l.seller
ORDER BY l.price, l.listing_id LIMIT sqlc.arg(count);

-- name: ByPriceDown :many
SELECT l.listing_id, l.token_id, l.tier, l.price, l.seller, l.buyer, l.status, l.listed_at, l.closed_at, l.sale_tx,
       a.username
FROM (
    SELECT listing_id FROM (
        SELECT m.listing_id FROM market_listing m
        WHERE m.status = 'active' AND m.price = sqlc.arg(price) AND m.listing_id < sqlc.arg(listing_id)
        ORDER BY m.listing_id DESC LIMIT sqlc.arg(count)
    ) AS same_price
    UNION ALL
    SELECT listing_id FROM (
        SELECT m.listing_id FROM market_listing m
        WHERE m.status = 'active' AND m.price < sqlc.arg(price)
        ORDER BY m.price DESC, m.listing_id DESC LIMIT sqlc.arg(count)
    ) AS other_prices
) AS page
JOIN market_listing l ON l.listing_id = page.listing_id
LEFT JOIN account a ON a.address = l.seller
ORDER BY l.price DESC, l.listing_id DESC LIMIT sqlc.arg(count);

-- name: OfTierByPrice :many
SELECT l.listing_id, l.token_id, l.tier, l.price, l.seller, l.buyer, l.status, l.listed_at, l.closed_at, l.sale_tx,
       a.username
FROM (
    SELECT listing_id FROM (
        SELECT m.listing_id FROM market_listing m
        WHERE m.status = 'active' AND m.tier = sqlc.arg(tier) AND m.price = sqlc.arg(price)
            AND m.listing_id > sqlc.arg(listing_id)
        ORDER BY m.listing_id LIMIT sqlc.arg(count)
    ) AS same_price
    UNION ALL
    SELECT listing_id FROM (
        SELECT m.listing_id FROM market_listing m
        WHERE m.status = 'active' AND m.tier = sqlc.arg(tier) AND m.price > sqlc.arg(price)
        ORDER BY m.price, m.listing_id LIMIT sqlc.arg(count)
    ) AS other_prices
) AS page
JOIN market_listing l ON l.listing_id = page.listing_id
LEFT JOIN account a ON a.address = l.seller
ORDER BY l.price, l.listing_id LIMIT sqlc.arg(count);

-- name: OfTierByPriceDown :many
SELECT l.listing_id, l.token_id, l.tier, l.price, l.seller, l.buyer, l.status, l.listed_at, l.closed_at, l.sale_tx,
       a.username
FROM (
    SELECT listing_id FROM (
        SELECT m.listing_id FROM market_listing m
        WHERE m.status = 'active' AND m.tier = sqlc.arg(tier) AND m.price = sqlc.arg(price)
            AND m.listing_id < sqlc.arg(listing_id)
        ORDER BY m.listing_id DESC LIMIT sqlc.arg(count)
    ) AS same_price
    UNION ALL
    SELECT listing_id FROM (
        SELECT m.listing_id FROM market_listing m
        WHERE m.status = 'active' AND m.tier = sqlc.arg(tier) AND m.price < sqlc.arg(price)
        ORDER BY m.price DESC, m.listing_id DESC LIMIT sqlc.arg(count)
    ) AS other_prices
) AS page
JOIN market_listing l ON l.listing_id = page.listing_id
LEFT JOIN account a ON a.address = l.seller
ORDER BY l.price DESC, l.listing_id DESC LIMIT sqlc.arg(count);

-- name: ByTier :many
SELECT l.listing_id, l.token_id, l.tier, l.price, l.seller, l.buyer, l.status, l.listed_at, l.closed_at, l.sale_tx,
       a.username
FROM (
    SELECT listing_id FROM (
        SELECT m.listing_id FROM market_listing m
        WHERE m.status = 'active' AND m.tier = sqlc.arg(tier) AND m.price = sqlc.arg(price)
            AND m.listing_id > sqlc.arg(listing_id)
        ORDER BY m.listing_id LIMIT sqlc.arg(count)
    ) AS same_price
    UNION ALL
    SELECT listing_id FROM (
        SELECT m.listing_id FROM market_listing m
        WHERE m.status = 'active' AND m.tier = sqlc.arg(tier) AND m.price > sqlc.arg(price)
        ORDER BY m.price, m.listing_id LIMIT sqlc.arg(count)
    ) AS other_prices
    UNION ALL
    SELECT listing_id FROM (
        SELECT m.listing_id FROM market_listing m
        WHERE m.status = 'active' AND m.tier > sqlc.arg(tier)
        ORDER BY m.tier, m.price, m.listing_id LIMIT sqlc.arg(count)
    ) AS next_tiers
) AS page
JOIN market_listing l ON l.listing_id = page.listing_id
LEFT JOIN account a ON a.address = l.seller
ORDER BY l.tier, l.price, l.listing_id LIMIT sqlc.arg(count);

-- name: ByTierDown :many
SELECT l.listing_id, l.token_id, l.tier, l.price, l.seller, l.buyer, l.status, l.listed_at, l.closed_at, l.sale_tx,
       a.username
FROM (
    SELECT listing_id FROM (
        SELECT m.listing_id FROM market_listing m
        WHERE m.status = 'active' AND m.tier_down = sqlc.arg(tier_down) AND m.price = sqlc.arg(price)
            AND m.listing_id > sqlc.arg(listing_id)
        ORDER BY m.listing_id LIMIT sqlc.arg(count)
    ) AS same_price
    UNION ALL
    SELECT listing_id FROM (
        SELECT m.listing_id FROM market_listing m
        WHERE m.status = 'active' AND m.tier_down = sqlc.arg(tier_down) AND m.price > sqlc.arg(price)
        ORDER BY m.price, m.listing_id LIMIT sqlc.arg(count)
    ) AS other_prices
    UNION ALL
    SELECT listing_id FROM (
        SELECT m.listing_id FROM market_listing m
        WHERE m.status = 'active' AND m.tier_down > sqlc.arg(tier_down)
        ORDER BY m.tier_down, m.price, m.listing_id LIMIT sqlc.arg(count)
    ) AS next_tiers
) AS page
JOIN market_listing l ON l.listing_id = page.listing_id
LEFT JOIN account a ON a.address = l.seller
ORDER BY l.tier_down, l.price, l.listing_id LIMIT sqlc.arg(count);

-- name: Newest :many
SELECT l.listing_id, l.token_id, l.tier, l.price, l.seller, l.buyer, l.status, l.listed_at, l.closed_at, l.sale_tx,
       a.username
FROM market_listing l LEFT JOIN account a ON a.address = l.seller
WHERE l.status = 'active' AND l.listing_id < sqlc.arg(listing_id)
ORDER BY l.listing_id DESC LIMIT sqlc.arg(count);

-- name: NewestOfTier :many
SELECT l.listing_id, l.token_id, l.tier, l.price, l.seller, l.buyer, l.status, l.listed_at, l.closed_at, l.sale_tx,
       a.username
FROM market_listing l LEFT JOIN account a ON a.address = l.seller
WHERE l.status = 'active' AND l.tier = sqlc.arg(tier) AND l.listing_id < sqlc.arg(listing_id)
ORDER BY l.listing_id DESC LIMIT sqlc.arg(count);

-- name: OfSeller :many
-- Listings of any status, the newest first.
SELECT l.listing_id, l.token_id, l.tier, l.price, l.seller, l.buyer, l.status, l.listed_at, l.closed_at, l.sale_tx,
       a.username
FROM market_listing l LEFT JOIN account a ON a.address = l.seller
WHERE l.seller = sqlc.arg(seller) AND l.listing_id < sqlc.arg(listing_id)
ORDER BY l.listing_id DESC LIMIT sqlc.arg(count);

-- name: SalesOfToken :many
SELECT l.listing_id, l.token_id, l.tier, l.price, l.seller, l.buyer, l.status, l.listed_at, l.closed_at, l.sale_tx,
       a.username
FROM market_sale s
JOIN market_listing l ON l.listing_id = s.listing_id
LEFT JOIN account a ON a.address = l.seller
WHERE s.token_id = sqlc.arg(token_id) ORDER BY s.n LIMIT sqlc.arg(count);

-- name: ActiveOfSeller :many
SELECT listing_id, token_id, price FROM market_listing WHERE seller = $1 AND status = 'active';

-- Statistics ------------------------------------------------------------------------

-- name: CountListing :exec
-- Sent last, with the commit, so that the row is locked for a moment only.
INSERT INTO market_tier (tier, depth, sales, coins, recent, version)
VALUES (sqlc.arg(tier), sqlc.arg(change), 0, 0, sqlc.arg(none), 1)
ON CONFLICT (tier) DO UPDATE SET depth = market_tier.depth + excluded.depth, version = market_tier.version + 1;

-- name: CountSale :one
-- Also serializes the sales of a tier: later statements of the transaction rely on the result.
-- It is sent early, because a transaction whose snapshot is older than a concurrent update of
-- the row is retried: the snapshot and the row lock should be taken at nearly the same time.
UPDATE market_tier
SET depth = depth - 1, sales = sales + 1, coins = coins + sqlc.arg(price), version = version + 1
WHERE tier = sqlc.arg(tier)
RETURNING sales, coins, recent;

-- name: SetRecent :exec
UPDATE market_tier SET recent = sqlc.arg(recent) WHERE tier = sqlc.arg(tier);

-- name: InsertSale :exec
INSERT INTO market_sale (tier, n, at, price, coins, token_id, listing_id) VALUES ($1, $2, $3, $4, $5, $6, $7);

-- name: AddToDay :exec
INSERT INTO market_day (tier, day, open, high, low, last, sales, coins, recent)
VALUES (sqlc.arg(tier), sqlc.arg(day), sqlc.arg(price), sqlc.arg(price), sqlc.arg(price), sqlc.arg(price), 1,
    sqlc.arg(price), sqlc.arg(recent))
ON CONFLICT (tier, day) DO UPDATE SET
    high = CASE WHEN excluded.high > market_day.high THEN excluded.high ELSE market_day.high END,
    low = CASE WHEN excluded.low < market_day.low THEN excluded.low ELSE market_day.low END,
    last = excluded.last, sales = market_day.sales + 1, coins = market_day.coins + excluded.coins,
        recent = excluded.recent;

-- name: TouchTiersOf :exec
-- Outdates cached pages that show listings of a seller.
UPDATE market_tier SET version = version + 1 WHERE market_tier.tier IN (
    SELECT l.tier FROM market_listing l WHERE l.seller = $1 AND l.status = 'active');

-- name: Version :one
SELECT cast(coalesce(sum(version), 0) AS BIGINT) AS version FROM market_tier;

-- name: Tiers :many
-- Each tier with its floor, and the running number and coins of sales before two times.
SELECT t.tier, t.depth, t.sales, t.coins, t.recent,
       cast(coalesce((SELECT l.price FROM market_listing l WHERE l.status = 'active' AND l.tier = t.tier
           ORDER BY l.price, l.listing_id LIMIT 1), 0) AS BIGINT) AS floor,
       cast(coalesce((SELECT s.n FROM market_sale s WHERE s.tier = t.tier AND s.at < sqlc.arg(day_ago)
           ORDER BY s.at DESC, s.n DESC LIMIT 1), 0) AS BIGINT) AS day_n,
       cast(coalesce((SELECT s.coins FROM market_sale s WHERE s.tier = t.tier AND s.at < sqlc.arg(day_ago)
           ORDER BY s.at DESC, s.n DESC LIMIT 1), 0) AS BIGINT) AS day_coins,
       cast(coalesce((SELECT s.n FROM market_sale s WHERE s.tier = t.tier AND s.at < sqlc.arg(month_ago)
           ORDER BY s.at DESC, s.n DESC LIMIT 1), 0) AS BIGINT) AS month_n,
       cast(coalesce((SELECT s.coins FROM market_sale s WHERE s.tier = t.tier AND s.at < sqlc.arg(month_ago)
           ORDER BY s.at DESC, s.n DESC LIMIT 1), 0) AS BIGINT) AS month_coins
FROM market_tier t ORDER BY t.tier;

-- name: Days :many
SELECT tier, day, open, high, low, last, sales, coins FROM market_day
WHERE tier >= sqlc.arg(first_tier) AND tier <= sqlc.arg(last_tier) AND day >= sqlc.arg(first_day)
ORDER BY tier, day;

-- name: RecentOfDays :many
SELECT tier, day, recent FROM market_day
WHERE tier >= 1 AND day >= sqlc.arg(first_day) AND day <= sqlc.arg(last_day) ORDER BY tier, day;

-- name: LastSales :many
SELECT tier, n, at, price, token_id, listing_id FROM market_sale WHERE tier = sqlc.arg(tier)
    ORDER BY n DESC LIMIT sqlc.arg(count);

-- Buyback ---------------------------------------------------------------------------

-- name: InsertOffer :one
INSERT INTO buyback_offer (token_id, tier, price, seller, status, offered_at, expires_at, bound)
VALUES (sqlc.arg(token_id), sqlc.arg(tier), sqlc.arg(price), sqlc.arg(seller), 'open', sqlc.arg(offered_at),
    sqlc.arg(expires_at), sqlc.arg(bound))
RETURNING offer_id;

-- name: GetOffer :one
SELECT offer_id, token_id, tier, price, seller, status, offered_at, expires_at, closed_at, tx, bound
FROM buyback_offer WHERE offer_id = $1;

-- name: OpenOfferOf :one
SELECT offer_id, token_id, tier, price, seller, status, offered_at, expires_at, closed_at, tx, bound
FROM buyback_offer WHERE token_id = $1 AND status = 'open';

-- name: CloseOffer :execrows
UPDATE buyback_offer SET status = sqlc.arg(status), closed_at = sqlc.arg(closed_at), tx = sqlc.narg(tx)
WHERE offer_id = sqlc.arg(offer_id) AND status = 'open';

-- Checking --------------------------------------------------------------------------

-- name: CheckTiers :many
SELECT t.tier, t.depth, t.sales, t.coins,
       (SELECT count(*) FROM market_listing l WHERE l.status = 'active' AND l.tier = t.tier) AS listed,
       (SELECT count(*) FROM market_sale s WHERE s.tier = t.tier) AS sold,
       cast(coalesce((SELECT sum(s.price) FROM market_sale s WHERE s.tier = t.tier), 0) AS BIGINT) AS paid
FROM market_tier t ORDER BY t.tier;

-- name: CheckDays :many
SELECT d.tier, cast(sum(d.sales) AS BIGINT) AS sales, cast(sum(d.coins) AS BIGINT) AS coins
    FROM market_day d GROUP BY d.tier ORDER BY d.tier;

-- name: StrayListings :many
-- Active listings whose token is not locked in the seller's wallet.
SELECT l.listing_id, l.token_id FROM market_listing l
LEFT JOIN ledger_token t ON t.token_id = l.token_id
WHERE l.status = 'active' AND (t.owner IS NULL OR t.owner <> l.seller OR t.locked = 0 OR t.tier <> l.tier)
ORDER BY l.listing_id LIMIT sqlc.arg(count);

-- name: StrayLocks :many
-- Locked tokens without an active listing.
SELECT t.token_id FROM ledger_token t
WHERE t.locked <> 0 AND NOT EXISTS (SELECT 1 FROM market_listing l WHERE l.token_id = t.token_id
    AND l.status = 'active')
ORDER BY t.token_id LIMIT sqlc.arg(count);
