//go:build !linux

package store

// walVFS returns "", the name of SQLite's own VFS.
func walVFS() string { return "" }
