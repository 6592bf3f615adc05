-- +goose Up

-- Identity: how players come back, and how programs call.

-- Who can sign in with a password. Guests have no row.
CREATE TABLE credential (
    address    BLOB PRIMARY KEY REFERENCES account (address),
    password   TEXT NOT NULL,             -- argon2id in PHC form
    changed_at INTEGER NOT NULL
) STRICT;

-- Addresses that mail was received at.
CREATE TABLE email (
    email_key   TEXT PRIMARY KEY,         -- the address as compared
    email       TEXT NOT NULL,            -- as it was typed
    address     BLOB NOT NULL REFERENCES account (address),
    verified_at INTEGER NOT NULL
) STRICT;
CREATE INDEX email_address ON email (address);

-- Links that are to be mailed, or were, and may be redeemed once.
CREATE TABLE magic_link (
    token_hash BLOB PRIMARY KEY,        -- SHA-256 of the token in the link
    token      BLOB NOT NULL,           -- the token, encrypted, for the mail
    email      TEXT NOT NULL,
    address    BLOB,                    -- the account that asked, when it had a session
    created_at INTEGER NOT NULL,
    expires_at INTEGER NOT NULL,
    claimed_at INTEGER NOT NULL,        -- when somebody last set about mailing it; 0 for never
    sent_at    INTEGER
) STRICT;
CREATE INDEX magic_link_expires_at ON magic_link (expires_at);

-- Keys of programs: a player's own, and those of bots.
CREATE TABLE api_key (
    key_id     INTEGER PRIMARY KEY,
    hash       BLOB NOT NULL UNIQUE,    -- SHA-256 of the key
    address    BLOB NOT NULL REFERENCES account (address),
    label      TEXT NOT NULL,
    prefix     TEXT NOT NULL,             -- the first characters, to recognise a key by
    created_at INTEGER NOT NULL,
    used_at    INTEGER,
    revoked_at INTEGER
) STRICT;
CREATE INDEX api_key_address ON api_key (address, key_id);

CREATE TABLE bot (
    address    BLOB PRIMARY KEY REFERENCES account (address),
    owner      BLOB NOT NULL REFERENCES account (address),
    created_at INTEGER NOT NULL
) STRICT;
CREATE INDEX bot_owner ON bot (owner, created_at);

-- Answers that are given again when a call is repeated with the same Idempotency-Key.
CREATE TABLE idempotency (
    account    BLOB NOT NULL,
    name       TEXT NOT NULL,             -- the key as the client chose it
    request    BLOB NOT NULL,           -- SHA-256 of method, path and body
    answer     BLOB NOT NULL,           -- the body of the answer, encrypted
    created_at INTEGER NOT NULL,
    PRIMARY KEY (account, name)
) STRICT;
CREATE INDEX idempotency_created_at ON idempotency (created_at);

ALTER TABLE session ADD COLUMN agent TEXT NOT NULL DEFAULT '';
