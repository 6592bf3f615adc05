//go:build !linux

package store

// walVFS returns "", for SQLite's own VFS.
func walVFS() string { return "" }
