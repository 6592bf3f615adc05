-- +goose Up

-- Names are looked for by how they begin, which is a range of bytes and not one of a
-- language's alphabet.
ALTER TABLE account ALTER COLUMN username_key TYPE TEXT COLLATE "C";
