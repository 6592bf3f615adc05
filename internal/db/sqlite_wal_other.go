//go:build !linux

package db

// walVFS returns "", for SQLite's own VFS.
func walVFS() string { return "" }
