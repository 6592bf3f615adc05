-- +goose Up

-- Accounts, how people sign in and programs authenticate, and what operators do.

-- Facts about the service itself: the chain's name and the fingerprint of the keys that
-- belong to this database.
CREATE TABLE meta (
    name  TEXT PRIMARY KEY,
    value TEXT NOT NULL
) STRICT;

CREATE TABLE account (
    address      BLOB PRIMARY KEY,      -- 20 bytes
    kind         TEXT NOT NULL,           -- guest, account or bot
    username     TEXT NOT NULL,
    username_key TEXT NOT NULL,           -- the username in lower case, without - and _: finds an account
    username_fold TEXT NOT NULL UNIQUE,   -- equal for names that look alike (package names)
    created_at   INTEGER NOT NULL,          -- all times are Unix milliseconds
    faucet_at    INTEGER,                   -- time of the last faucet payment
    deleted_at   INTEGER,                   -- by its owner: the row stays, under a generated name, as others refer to it
    frozen_at    INTEGER                    -- by an operator; null while it is not frozen
) STRICT;
CREATE INDEX account_username_key ON account (username_key);
-- For the removal of guests that never did anything.
CREATE INDEX account_guest ON account (created_at) WHERE kind = 'guest';

CREATE TABLE session (
    token_hash BLOB PRIMARY KEY,        -- SHA-256 of the cookie's token
    address    BLOB NOT NULL REFERENCES account (address),
    created_at INTEGER NOT NULL,
    seen_at    INTEGER NOT NULL,
    agent      TEXT NOT NULL DEFAULT '',
    -- When its browser proved to own the account; 0 for the session of a guest, which proves nothing.
    signed_in_at INTEGER NOT NULL DEFAULT 0
) STRICT;
CREATE INDEX session_address ON session (address);

-- Passwords of accounts. Guests have no row.
CREATE TABLE credential (
    address    BLOB PRIMARY KEY REFERENCES account (address),
    password   TEXT NOT NULL,             -- argon2id in PHC form
    changed_at INTEGER NOT NULL
) STRICT;

-- Confirmed mail addresses.
CREATE TABLE email (
    email_key   TEXT PRIMARY KEY,         -- the normalized address
    email       TEXT NOT NULL,            -- as entered
    address     BLOB NOT NULL REFERENCES account (address),
    verified_at INTEGER NOT NULL
) STRICT;
CREATE INDEX email_address ON email (address);

-- Links to mail, or mailed, each redeemable once.
CREATE TABLE magic_link (
    token_hash BLOB PRIMARY KEY,        -- SHA-256 of the token in the link
    kind       TEXT NOT NULL,           -- sign_in or reset
    token      BLOB NOT NULL,           -- the token, encrypted, for the mail
    email      TEXT NOT NULL,           -- as entered
    email_key  TEXT NOT NULL,           -- the normalized address
    address    BLOB,                    -- the requesting account, if it had a session
    confirmed  INTEGER NOT NULL,        -- 1: the requester gave the password or had signed in recently
    created_at INTEGER NOT NULL,
    expires_at INTEGER NOT NULL,
    claimed_at INTEGER NOT NULL,        -- time of the last attempt to mail it; 0 for none
    sent_at    INTEGER,
    request_id TEXT NOT NULL          -- of the request for it, for the log
) STRICT;
CREATE INDEX magic_link_expires_at ON magic_link (expires_at);

-- Queued mails that report a change of an account to its mailboxes. A mailed notice is deleted.
CREATE TABLE mail_notice (
    notice_id  BLOB PRIMARY KEY,        -- random
    email      TEXT NOT NULL,           -- the recipient
    kind       TEXT NOT NULL,           -- attached, removed, password, deleted or bot_key
    username   TEXT NOT NULL,           -- of the account, at the time of the change
    about      TEXT NOT NULL,           -- the mailbox that was attached or removed, the name of a bot; '' for others
    created_at INTEGER NOT NULL,
    expires_at INTEGER NOT NULL,
    claimed_at INTEGER NOT NULL         -- time of the last attempt to mail it; 0 for none
) STRICT;
CREATE INDEX mail_notice_created_at ON mail_notice (created_at);

-- API keys of players and bots.
CREATE TABLE api_key (
    key_id     INTEGER PRIMARY KEY,
    hash       BLOB NOT NULL UNIQUE,    -- SHA-256 of the key
    address    BLOB NOT NULL REFERENCES account (address),
    label      TEXT NOT NULL,
    prefix     TEXT NOT NULL,             -- the first characters, to identify a key
    created_at INTEGER NOT NULL,
    used_at    INTEGER,
    revoked_at INTEGER,
    scopes     INTEGER NOT NULL,        -- a sum: 1 read, 2 play, 4 trade
    made_by    INTEGER,                 -- the key that made it and takes it along when it ends
    expires_at INTEGER,
    used_from  TEXT NOT NULL DEFAULT '' -- the network of its last use, /24 or /48, never the address; '' for unknown
) STRICT;
CREATE INDEX api_key_address ON api_key (address, key_id);

CREATE TABLE bot (
    address       BLOB PRIMARY KEY REFERENCES account (address),
    owner         BLOB NOT NULL REFERENCES account (address),
    created_at    INTEGER NOT NULL,
    version       TEXT NOT NULL DEFAULT '', -- of its program, as its owner says; '' for none
    description   TEXT NOT NULL DEFAULT '',
    hidden_reason TEXT NOT NULL DEFAULT ''  -- public: why an operator hides both; '' while they show
) STRICT;
CREATE INDEX bot_owner ON bot (owner, created_at);

-- Former names, which only their owner may take again. An address of zeros owns a name that
-- an operator has withdrawn from the account taken_from, which may get it back.
CREATE TABLE held_name (
    username_fold TEXT PRIMARY KEY,
    address      BLOB NOT NULL,
    held_until   INTEGER NOT NULL,
    username     TEXT NOT NULL DEFAULT '', -- of a withdrawn name: its spelling
    taken_from   BLOB
) STRICT;
CREATE INDEX held_name_address ON held_name (address);
CREATE INDEX held_name_taken_from ON held_name (taken_from) WHERE taken_from IS NOT NULL;
CREATE INDEX held_name_until ON held_name (held_until);

-- The renames of the last 30 days, to limit them.
CREATE TABLE account_rename (
    rename_id  INTEGER PRIMARY KEY,
    address    BLOB NOT NULL,
    renamed_at INTEGER NOT NULL
) STRICT;
CREATE INDEX account_rename_address ON account_rename (address, renamed_at);
CREATE INDEX account_rename_time ON account_rename (renamed_at);

-- Browsers from which the owner has signed in: strangers who fail to log in do not limit them.
CREATE TABLE known_device (
    address BLOB NOT NULL,
    device  BLOB NOT NULL,             -- hash of the browser's token and the address
    seen_at INTEGER NOT NULL,             -- the last sign-in
    PRIMARY KEY (address, device)
) STRICT, WITHOUT ROWID;
CREATE INDEX known_device_seen_at ON known_device (seen_at);

-- Networks that an account has used in the last 24 hours: what it does is charged to them. tag is a keyed hash of
-- the network and of the UTC day for which the row counts, so that rows of different days cannot be compared, and no
-- address can be read from them.
CREATE TABLE account_network (
    account BLOB NOT NULL,
    day     INTEGER NOT NULL,
    tag     BLOB NOT NULL,
    times   INTEGER NOT NULL,              -- the multiple of an address's limits that the network has
    until   INTEGER NOT NULL,              -- what the account does up to this time is charged
    PRIMARY KEY (account, day, tag)
) STRICT, WITHOUT ROWID;
CREATE INDEX account_network_day ON account_network (day);

-- The acts of operators, append-only: each row has the hash of the row before it, and hashes
-- are keyed with the service's secret, so that a removed or changed row shows.
CREATE TABLE operator_log (
    seq      INTEGER PRIMARY KEY,        -- 1, 2, 3, … without a gap
    at       INTEGER NOT NULL,
    operator TEXT NOT NULL,             -- the name that the operator gave
    action   TEXT NOT NULL,
    subject  BLOB,                      -- address of the account that the act is about
    detail   TEXT NOT NULL,             -- JSON
    prev     BLOB NOT NULL,
    hash     BLOB NOT NULL
) STRICT;

-- Results that operators have declared void, with the public reason.
CREATE TABLE operator_void (
    game   TEXT PRIMARY KEY,            -- duel:… or run:…, as on the chain
    at     INTEGER NOT NULL,
    reason TEXT NOT NULL,
    tx     BLOB NOT NULL,               -- hash of the result.void transaction
    closed INTEGER NOT NULL,            -- the last season that was closed before
    restored_at     INTEGER,            -- null while the result is void
    restored_reason TEXT,
    restored_tx     BLOB             -- hash of the result.restore transaction
) STRICT;
CREATE INDEX operator_void_at ON operator_void (at);
