package db

import "io/fs"

// WithMigrations replaces the embedded migrations.
func (c Config) WithMigrations(m fs.FS) Config {
	c.migrations = m
	return c
}
