-- +goose Up

-- A witness is identified by its full verifier key in log_cosignature.witness, so that
-- stored signatures can be verified. Rows under a name and key id are deleted: they are
-- collected again with the next block.
DELETE FROM log_cosignature;
