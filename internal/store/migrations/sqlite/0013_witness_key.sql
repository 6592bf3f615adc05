-- +goose Up

-- A witness is known by its whole verifier key, in log_cosignature.witness, so that what is
-- stored can be verified. What was stored under the name and id of a key goes: it is
-- collected again with the next block.
DELETE FROM log_cosignature;
