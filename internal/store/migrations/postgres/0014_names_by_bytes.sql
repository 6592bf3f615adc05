-- +goose Up

-- Names are searched by prefix, which is a byte range rather than a range of a locale's
-- collation.
ALTER TABLE account ALTER COLUMN username_key TYPE TEXT COLLATE "C";
