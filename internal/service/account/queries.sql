-- name: InsertAccount :execrows
-- Affects no row if the name is taken.
INSERT INTO account (address, kind, username, username_key, username_fold, created_at)
VALUES ($1, $2, $3, $4, $5, $6)
ON CONFLICT (username_fold) DO NOTHING;

-- name: GetAccount :one
SELECT address, kind, username, username_key, created_at, faucet_at
FROM account WHERE address = $1;

-- name: GetAccountByName :one
SELECT address, kind, username, created_at, faucet_at FROM account WHERE username_key = $1;

-- name: LockAccount :execrows
-- Changes nothing, but locks the row: concurrent transactions that lock it, too, wait or
-- are retried, so a count that follows stays valid until this transaction ends. No row for
-- a deleted account: a call that was admitted before its deletion must not give it access.
UPDATE account SET address = address WHERE address = $1 AND deleted_at IS NULL;

-- name: HoldPlayer :execrows
-- Locks as LockAccount. No row for a frozen account, either: another player can begin nothing with it.
UPDATE account SET address = address WHERE address = $1 AND deleted_at IS NULL AND frozen_at IS NULL;

-- name: SessionsToSuspend :many
-- The sessions of an account and of its bots, in the order in which they are locked.
SELECT s.token_hash FROM session s
WHERE s.address = sqlc.arg(address) OR s.address IN (SELECT b.address FROM bot b WHERE b.owner = sqlc.arg(address))
ORDER BY s.token_hash;

-- name: RenewSessionsOf :exec
-- Changes nothing, but makes transactions that began before it and read the sessions run again.
UPDATE session SET agent = agent WHERE address = $1;

-- name: RenewKeysOf :exec
-- Changes nothing, but makes transactions that began before it and read the keys run again.
UPDATE api_key SET label = label WHERE address = $1;

-- name: DeleteSession :execrows
DELETE FROM session WHERE token_hash = $1;

-- name: SetFaucet :execrows
-- A compare-and-swap on the previous time, 0 for none: of concurrent claims one succeeds.
UPDATE account SET faucet_at = sqlc.arg(now)
WHERE address = sqlc.arg(address) AND coalesce(faucet_at, 0) = cast(sqlc.arg(before) AS BIGINT);

-- name: InsertSession :exec
INSERT INTO session (token_hash, address, created_at, seen_at, agent, signed_in_at)
VALUES ($1, $2, $3, $4, $5, $6);

-- name: GetSession :one
SELECT s.created_at AS session_created_at, s.seen_at, a.frozen_at,
       a.address, a.kind, a.username, a.created_at, a.faucet_at
FROM session s JOIN account a ON a.address = s.address
WHERE s.token_hash = $1;

-- name: HoldSession :execrows
-- One row for a session of this account that is valid now.
SELECT 1 FROM session s JOIN account a ON a.address = s.address
WHERE s.token_hash = sqlc.arg(token_hash) AND s.address = sqlc.arg(address)
  AND s.seen_at >= sqlc.arg(idle_since) AND s.created_at >= sqlc.arg(made_after) AND a.frozen_at IS NULL;

-- name: TouchSession :exec
UPDATE session SET seen_at = sqlc.arg(now) WHERE token_hash = sqlc.arg(token_hash) AND seen_at < sqlc.arg(now);

-- name: DeleteStaleSessions :execrows
-- Those of frozen accounts are suspended: they do not age.
DELETE FROM session WHERE (session.seen_at < sqlc.arg(idle_since) OR session.created_at < sqlc.arg(made_before))
  AND NOT EXISTS (SELECT 1 FROM account a WHERE a.address = session.address AND a.frozen_at IS NOT NULL);

-- name: FindNames :many
-- Names between two texts, ordered by bytes on SQLite and by the collation on PostgreSQL:
-- the caller filters the result by prefix.
SELECT address, username, username_key FROM account
WHERE username_key >= sqlc.arg(first) AND username_key <= sqlc.arg(last)
ORDER BY username_key LIMIT sqlc.arg(count);

-- name: SetUsername :execrows
UPDATE account SET username = sqlc.arg(username), username_key = sqlc.arg(username_key),
    username_fold = sqlc.arg(username_fold)
WHERE account.address = sqlc.arg(address)
  AND NOT EXISTS (SELECT 1 FROM account o
                  WHERE o.username_fold = sqlc.arg(username_fold) AND o.address <> sqlc.arg(address));

-- name: SetKind :exec
UPDATE account SET kind = sqlc.arg(kind) WHERE address = sqlc.arg(address);

-- name: InsertCredential :execrows
INSERT INTO credential (address, password, changed_at) VALUES ($1, $2, $3) ON CONFLICT (address) DO NOTHING;

-- name: GetCredential :one
SELECT a.address, c.password FROM account a JOIN credential c ON c.address = a.address WHERE a.username_key = $1;

-- name: SetCredential :exec
INSERT INTO credential (address, password, changed_at) VALUES ($1, $2, $3)
ON CONFLICT (address) DO UPDATE SET password = excluded.password, changed_at = excluded.changed_at;

-- name: GetCredentialOf :one
SELECT password, changed_at FROM credential WHERE address = $1;

-- Sessions --------------------------------------------------------------------------

-- name: ListSessions :many
SELECT token_hash, created_at, seen_at, agent FROM session
WHERE address = sqlc.arg(address) ORDER BY seen_at DESC, token_hash LIMIT sqlc.arg(count);

-- name: DeleteSessionOf :execrows
DELETE FROM session WHERE address = sqlc.arg(address) AND token_hash = sqlc.arg(token_hash);

-- name: GetSignIn :one
-- When the browser of a session signed in; 0 for a guest's session.
SELECT s.signed_in_at, a.kind FROM session s JOIN account a ON a.address = s.address
WHERE s.token_hash = $1 AND s.address = $2;

-- name: ReplaceSessionToken :execrows
UPDATE session SET token_hash = sqlc.arg(next)
WHERE session.token_hash = sqlc.arg(token_hash) AND session.address = sqlc.arg(address);

-- name: DeleteOtherSessionsOf :exec
DELETE FROM session WHERE address = sqlc.arg(address) AND token_hash <> sqlc.arg(keep);

-- name: DeleteSessionsOf :exec
DELETE FROM session WHERE address = $1;

-- name: DeleteOldSessionsOf :exec
-- All but the most recently used ones.
DELETE FROM session WHERE session.address = sqlc.arg(address) AND session.token_hash NOT IN (
    SELECT s.token_hash FROM session s WHERE s.address = sqlc.arg(address)
    ORDER BY s.seen_at DESC, s.token_hash LIMIT sqlc.arg(keep));

-- Keys ------------------------------------------------------------------------------

-- name: InsertKey :one
INSERT INTO api_key (hash, address, label, prefix, created_at, scopes) VALUES ($1, $2, $3, $4, $5, $6) RETURNING key_id;

-- name: GetKey :one
SELECT k.key_id, k.used_at, k.scopes, k.expires_at, a.frozen_at, a.address, a.kind, a.username, a.created_at, a.faucet_at
FROM api_key k JOIN account a ON a.address = k.address
WHERE k.hash = $1 AND k.revoked_at IS NULL;

-- name: HoldKey :execrows
-- One row for a key of this account that is valid now and has all needed scopes.
SELECT 1 FROM api_key k JOIN account a ON a.address = k.address
WHERE k.hash = sqlc.arg(hash) AND k.address = sqlc.arg(address) AND k.revoked_at IS NULL
  AND (k.expires_at IS NULL OR k.expires_at > cast(sqlc.arg(now) AS BIGINT))
  AND k.scopes & cast(sqlc.arg(needed) AS BIGINT) = cast(sqlc.arg(needed) AS BIGINT) AND a.frozen_at IS NULL;

-- name: KeysToEnd :many
-- The active keys of an account and of its bots, in the order in which they are locked.
SELECT k.key_id FROM api_key k
WHERE k.revoked_at IS NULL
  AND (k.address = sqlc.arg(address) OR k.address IN (SELECT b.address FROM bot b WHERE b.owner = sqlc.arg(address)))
ORDER BY k.key_id;

-- name: LastUse :one
-- The last use of any of an account's keys; 0 if none was used.
SELECT CAST(COALESCE(max(used_at), 0) AS bigint) AS used_at FROM api_key WHERE address = $1;

-- name: CountKeys :one
SELECT count(*) FROM api_key WHERE address = sqlc.arg(address) AND revoked_at IS NULL
  AND (expires_at IS NULL OR expires_at > cast(sqlc.arg(now) AS BIGINT));

-- name: ListKeys :many
SELECT key_id, label, prefix, created_at, used_at, used_from, revoked_at, scopes, expires_at FROM api_key
WHERE address = sqlc.arg(address) AND key_id < sqlc.arg(before) ORDER BY key_id DESC LIMIT sqlc.arg(count);

-- name: ActiveKeysOfOwner :many
-- Those of an account and of its bots.
SELECT k.key_id, k.address, k.label, k.prefix, k.created_at, k.used_at, k.used_from, k.scopes, k.expires_at FROM api_key k
WHERE k.revoked_at IS NULL
  AND (k.address = sqlc.arg(address) OR k.address IN (SELECT b.address FROM bot b WHERE b.owner = sqlc.arg(address)))
ORDER BY k.key_id DESC;

-- name: SetMaker :one
-- A key that another one made ends with it at the latest.
UPDATE api_key SET made_by = sqlc.arg(maker), expires_at = CASE
    WHEN api_key.expires_at IS NULL THEN (SELECT m.expires_at FROM api_key m WHERE m.key_id = sqlc.arg(maker))
    WHEN (SELECT m.expires_at FROM api_key m WHERE m.key_id = sqlc.arg(maker)) < api_key.expires_at
    THEN (SELECT m.expires_at FROM api_key m WHERE m.key_id = sqlc.arg(maker)) ELSE api_key.expires_at END
WHERE api_key.key_id = sqlc.arg(key_id) RETURNING expires_at;

-- name: SetExpiry :exec
UPDATE api_key SET expires_at = sqlc.arg(expires_at) WHERE key_id = sqlc.arg(key_id);

-- name: Independent :exec
-- A key that its owner keeps no longer ends with the key that made it.
UPDATE api_key SET made_by = NULL WHERE key_id = $1;

-- name: RevokeMade :execrows
-- The keys of an account and of its bots whose maker has ended.
UPDATE api_key SET revoked_at = sqlc.arg(now)
WHERE api_key.revoked_at IS NULL
  AND (api_key.address = sqlc.arg(address)
       OR api_key.address IN (SELECT b.address FROM bot b WHERE b.owner = sqlc.arg(address)))
  AND api_key.made_by IN (SELECT m.key_id FROM api_key m WHERE m.revoked_at IS NOT NULL AND m.address = sqlc.arg(address));

-- name: RevokeKey :execrows
UPDATE api_key SET revoked_at = sqlc.arg(now)
WHERE key_id = sqlc.arg(key_id) AND address = sqlc.arg(address) AND revoked_at IS NULL;

-- name: RevokeKeysOf :execrows
UPDATE api_key SET revoked_at = sqlc.arg(now) WHERE address = sqlc.arg(address) AND revoked_at IS NULL;

-- name: RevokeAllKeysOf :exec
-- The keys of an account and of its bots.
UPDATE api_key SET revoked_at = sqlc.arg(now)
WHERE api_key.revoked_at IS NULL
  AND (api_key.address = sqlc.arg(address)
       OR api_key.address IN (SELECT b.address FROM bot b WHERE b.owner = sqlc.arg(address)));

-- name: TouchKey :exec
UPDATE api_key SET used_at = sqlc.arg(now), used_from = sqlc.arg(used_from)
WHERE key_id = sqlc.arg(key_id) AND (used_at IS NULL OR used_at < sqlc.arg(now));

-- Bots ------------------------------------------------------------------------------

-- name: InsertBot :exec
INSERT INTO bot (address, owner, created_at) VALUES ($1, $2, $3);

-- name: CountBots :one
SELECT count(*) FROM bot WHERE owner = $1;

-- name: ListBots :many
-- Each bot with its newest key, which may have ended.
SELECT a.address, a.username, a.created_at, a.faucet_at, b.version, b.description, b.hidden_reason,
       k.key_id, k.prefix, k.used_at, k.used_from, k.revoked_at, k.expires_at, k.created_at AS key_created_at
FROM bot b
JOIN account a ON a.address = b.address
JOIN api_key k ON k.key_id = (SELECT max(l.key_id) FROM api_key l WHERE l.address = b.address)
WHERE b.owner = $1 ORDER BY b.created_at, b.address;

-- name: GetBotOwner :one
SELECT owner FROM bot WHERE address = $1;

-- name: GetBotWords :one
SELECT owner, version, description, hidden_reason FROM bot WHERE address = $1;

-- name: SetBotWords :exec
UPDATE bot SET version = sqlc.arg(version), description = sqlc.arg(description), hidden_reason = sqlc.arg(hidden_reason)
WHERE address = sqlc.arg(address);

-- name: ForgetBotWords :exec
UPDATE bot SET version = '', description = '', hidden_reason = '' WHERE address = $1;

-- Mail ------------------------------------------------------------------------------

-- name: InsertMagicLink :exec
INSERT INTO magic_link (token_hash, kind, token, email, email_key, address, confirmed, created_at, expires_at,
                        request_id, claimed_at)
VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, 0);

-- name: UnsentLinks :many
SELECT token_hash, kind, token, email, address, request_id FROM magic_link
WHERE sent_at IS NULL AND claimed_at < sqlc.arg(claimed_before) AND expires_at > sqlc.arg(now)
ORDER BY created_at LIMIT sqlc.arg(count);

-- name: ClaimLink :execrows
-- A lease: of two nodes that try to send the same mail, one gets it.
UPDATE magic_link SET claimed_at = sqlc.arg(now)
WHERE token_hash = sqlc.arg(token_hash) AND sent_at IS NULL AND claimed_at < sqlc.arg(claimed_before);

-- name: LinkSent :exec
UPDATE magic_link SET sent_at = sqlc.arg(now) WHERE token_hash = sqlc.arg(token_hash);

-- name: TakeMagicLink :one
-- The deletion redeems the link, so a link can be redeemed once.
DELETE FROM magic_link WHERE token_hash = $1 AND kind = $2
RETURNING email, address, confirmed, created_at, expires_at;

-- name: GetLink :one
-- The mailbox of an unexpired link, and the account that asked for it.
SELECT email, address FROM magic_link WHERE token_hash = $1 AND kind = $2 AND expires_at > $3;

-- name: DeleteLink :exec
DELETE FROM magic_link WHERE token_hash = $1;

-- name: DeleteExpiredLinks :execrows
DELETE FROM magic_link WHERE expires_at < $1;

-- name: GetEmail :one
SELECT email, address FROM email WHERE email_key = $1;

-- name: InsertEmail :execrows
INSERT INTO email (email_key, email, address, verified_at) VALUES ($1, $2, $3, $4) ON CONFLICT (email_key) DO NOTHING;

-- name: ListEmails :many
SELECT email, verified_at FROM email WHERE address = $1 ORDER BY verified_at, email_key;

-- name: DeleteEmail :execrows
DELETE FROM email WHERE email_key = $1 AND address = $2;

-- name: InsertNotice :exec
INSERT INTO mail_notice (notice_id, email, kind, username, about, created_at, expires_at, claimed_at)
VALUES ($1, $2, $3, $4, $5, $6, $7, 0);

-- name: UnsentNotices :many
SELECT notice_id, email, kind, username, about FROM mail_notice
WHERE claimed_at < sqlc.arg(claimed_before) AND expires_at > sqlc.arg(now)
ORDER BY created_at, notice_id LIMIT sqlc.arg(count);

-- name: ClaimNotice :execrows
-- A lease, like ClaimLink.
UPDATE mail_notice SET claimed_at = sqlc.arg(now)
WHERE notice_id = sqlc.arg(notice_id) AND claimed_at < sqlc.arg(claimed_before);

-- name: DeleteNotice :exec
DELETE FROM mail_notice WHERE notice_id = $1;

-- name: DeleteExpiredNotices :execrows
DELETE FROM mail_notice WHERE expires_at < $1;

-- For operators ---------------------------------------------------------------------

-- name: CountSessions :one
SELECT count(*) FROM session;

-- name: Outbox :one
-- The number of queued mails and when the oldest of them was queued, 0 for an empty queue.
SELECT count(*) AS waiting, cast(coalesce(min(queued.created_at), 0) AS BIGINT) AS since
FROM (SELECT l.created_at FROM magic_link l WHERE l.sent_at IS NULL AND l.expires_at > sqlc.arg(now)
      UNION ALL
      SELECT n.created_at FROM mail_notice n WHERE n.expires_at > sqlc.arg(now)) AS queued;

-- Names and deletion ----------------------------------------------------------------

-- name: CountOwnersOfName :one
-- How many others have a name that looks alike, or hold one. It reads both in one snapshot: of a concurrent
-- rename, the snapshot has either the old owner's row or the held name.
SELECT cast((SELECT count(*) FROM account a
             WHERE a.username_fold = sqlc.arg(username_fold) AND a.address <> sqlc.arg(address))
          + (SELECT count(*) FROM held_name h
             WHERE h.username_fold = sqlc.arg(username_fold) AND h.address <> sqlc.arg(address)
               AND h.held_until > sqlc.arg(now)) AS BIGINT);

-- name: HoldName :exec
INSERT INTO held_name (username_fold, address, held_until) VALUES ($1, $2, $3)
ON CONFLICT (username_fold) DO UPDATE SET address = excluded.address, held_until = excluded.held_until;

-- name: InsertRename :exec
INSERT INTO account_rename (address, renamed_at) VALUES ($1, $2);

-- name: RenamesSince :many
SELECT renamed_at FROM account_rename
WHERE address = sqlc.arg(address) AND renamed_at > sqlc.arg(since) ORDER BY renamed_at LIMIT sqlc.arg(count);

-- name: DropHeldNames :execrows
DELETE FROM held_name WHERE held_until <= $1;

-- name: DropRenames :execrows
DELETE FROM account_rename WHERE renamed_at <= $1;

-- name: MarkDeleted :execrows
UPDATE account SET username = sqlc.arg(username), username_key = sqlc.arg(username_key),
    username_fold = sqlc.arg(username_fold), deleted_at = sqlc.arg(now)
WHERE account.address = sqlc.arg(address) AND account.deleted_at IS NULL;

-- name: BotAddresses :many
SELECT b.address FROM bot b JOIN account a ON a.address = b.address
WHERE b.owner = $1 AND a.deleted_at IS NULL ORDER BY b.created_at, b.address;

-- name: DeleteKeysOf :exec
DELETE FROM api_key WHERE address = $1;

-- name: DeleteCredential :exec
DELETE FROM credential WHERE address = $1;

-- name: DeleteLinksOf :exec
-- The links that the account requested, and the links to its mailboxes, in any letter case.
DELETE FROM magic_link WHERE magic_link.address = sqlc.arg(address)
    OR magic_link.email_key IN (SELECT e.email_key FROM email e WHERE e.address = sqlc.arg(address));

-- name: DeleteLinksExcept :exec
-- The links that the account requested, except those to a mailbox.
DELETE FROM magic_link WHERE address = sqlc.arg(address) AND email_key <> sqlc.arg(email_key);

-- name: DeleteEmailsOf :exec
DELETE FROM email WHERE address = $1;

-- name: IdleGuests :many
-- Guests that have done nothing but open their account, and that no browser can return to.
SELECT a.address FROM account a JOIN ledger_account l ON l.address = a.address
WHERE a.kind = 'guest' AND a.created_at < sqlc.arg(created_before) AND a.deleted_at IS NULL AND l.nonce = 1
  AND NOT EXISTS (SELECT 1 FROM session s WHERE s.address = a.address)
  AND NOT EXISTS (SELECT 1 FROM api_key k WHERE k.address = a.address)
  AND NOT EXISTS (SELECT 1 FROM bot b WHERE b.owner = a.address)
  AND NOT EXISTS (SELECT 1 FROM email e WHERE e.address = a.address)
  AND NOT EXISTS (SELECT 1 FROM magic_link m WHERE m.address = a.address)
  AND NOT EXISTS (SELECT 1 FROM team_member t WHERE t.account = a.address)
  AND NOT EXISTS (SELECT 1 FROM cup_player c WHERE c.address = a.address)
  AND NOT EXISTS (SELECT 1 FROM duel x WHERE x.a = a.address)
  AND NOT EXISTS (SELECT 1 FROM duel y WHERE y.b = a.address)
ORDER BY a.created_at LIMIT sqlc.arg(count);

-- name: DeleteRenamesOf :exec
DELETE FROM account_rename WHERE address = $1;

-- name: DeleteGuest :execrows
DELETE FROM account WHERE account.address = sqlc.arg(address) AND account.kind = 'guest'
  AND NOT EXISTS (SELECT 1 FROM session s WHERE s.address = sqlc.arg(address));

-- For operators: acts on accounts ----------------------------------------------------

-- name: FreezeAccount :execrows
UPDATE account SET frozen_at = sqlc.arg(now) WHERE account.address = sqlc.arg(address) AND account.frozen_at IS NULL;

-- name: FreezeItself :execrows
-- A bot that is frozen with its owner becomes one that is frozen by itself, with a time of its own.
UPDATE account SET frozen_at = sqlc.arg(now) WHERE account.address = sqlc.arg(address) AND (account.frozen_at IS NULL
OR account.frozen_at = (SELECT o.frozen_at FROM bot b JOIN account o ON o.address = b.owner WHERE b.address = account.address));

-- name: UnfreezeAccount :execrows
UPDATE account SET frozen_at = NULL WHERE account.address = $1 AND account.frozen_at IS NOT NULL;

-- name: ResumeSessions :exec
-- Sessions do not age while their account is frozen.
UPDATE session SET created_at = created_at + sqlc.arg(frozen_for), seen_at = seen_at + sqlc.arg(frozen_for)
WHERE session.address = sqlc.arg(address);

-- name: WithdrawName :exec
INSERT INTO held_name (username_fold, address, held_until, username, taken_from) VALUES ($1, $2, $3, $4, $5)
ON CONFLICT (username_fold) DO UPDATE SET address = excluded.address, held_until = excluded.held_until,
    username = excluded.username, taken_from = excluded.taken_from;

-- name: ReleaseName :one
-- Releases a name that was withdrawn from an account, once.
DELETE FROM held_name WHERE username_fold = $1 AND taken_from = $2 RETURNING username;

-- name: ForgetWithdrawn :exec
-- The names stay withdrawn, and no longer tell from which account.
UPDATE held_name SET taken_from = NULL, username = '' WHERE taken_from = $1;

-- name: GetStanding :one
SELECT frozen_at, deleted_at FROM account WHERE address = $1;

-- name: CountAccess :one
SELECT cast((SELECT count(*) FROM session s WHERE s.address = sqlc.arg(address)) AS BIGINT) AS sessions,
       cast((SELECT count(*) FROM api_key k WHERE k.address = sqlc.arg(address) AND k.revoked_at IS NULL) AS BIGINT) AS keys,
       cast((SELECT count(*) FROM email e WHERE e.address = sqlc.arg(address)) AS BIGINT) AS mailboxes,
       cast((SELECT count(*) FROM credential c WHERE c.address = sqlc.arg(address)) AS BIGINT) AS passwords;

-- Devices ---------------------------------------------------------------------------

-- name: RememberDevice :exec
INSERT INTO known_device (address, device, seen_at) VALUES ($1, $2, $3)
ON CONFLICT (address, device) DO UPDATE SET seen_at = excluded.seen_at;

-- name: CountDevice :one
SELECT count(*) FROM known_device d
WHERE d.address = sqlc.arg(address) AND d.device = sqlc.arg(device) AND d.seen_at > sqlc.arg(since);

-- name: DropOldDevicesOf :exec
-- All but the last used ones.
DELETE FROM known_device WHERE known_device.address = sqlc.arg(address) AND known_device.device NOT IN (
    SELECT d.device FROM known_device d WHERE d.address = sqlc.arg(address)
    ORDER BY d.seen_at DESC, d.device LIMIT sqlc.arg(keep));

-- name: DropStaleDevices :execrows
DELETE FROM known_device WHERE seen_at <= $1;

-- name: DeleteDevicesOf :exec
DELETE FROM known_device WHERE address = $1;

-- Networks --------------------------------------------------------------------------

-- name: CountNetworks :one
SELECT count(*) FROM account_network WHERE account = sqlc.arg(account) AND day = sqlc.arg(day);

-- name: CountSharedNetworks :one
-- How many networks two accounts have both used.
SELECT count(*) FROM account_network x JOIN account_network y ON y.day = x.day AND y.tag = x.tag
WHERE x.account = sqlc.arg(a) AND x.day = sqlc.arg(day) AND x.until >= sqlc.arg(now)
  AND y.account = sqlc.arg(b) AND y.until >= sqlc.arg(now);

-- name: LastNetworks :many
-- The networks of an account's last use, the narrowest first.
SELECT n.tag, n.times FROM account_network n
WHERE n.account = sqlc.arg(account) AND n.day = sqlc.arg(day)
  AND n.until = (SELECT max(x.until) FROM account_network x WHERE x.account = n.account AND x.day = n.day)
ORDER BY n.times, n.tag;

-- name: DropNetworks :execrows
-- Also what a crash has left of deleted accounts, see ForgetNetworks.
DELETE FROM account_network WHERE account_network.day < sqlc.arg(day)
OR EXISTS (SELECT 1 FROM account a WHERE a.address = account_network.account AND a.deleted_at IS NOT NULL);

-- name: DeleteNetworksOf :exec
DELETE FROM account_network WHERE account = sqlc.arg(account);
