package verify

import _ "embed"

var (
	//go:embed python/verify.py
	python []byte
	//go:embed ts/verify.ts
	typeScript []byte
)

// Standalone returns the other two verifiers by the names of their files. Each is one file without dependencies. The
// contents are shared: callers must not change them.
func Standalone() map[string][]byte {
	return map[string][]byte{"verify.py": python, "verify.ts": typeScript}
}
