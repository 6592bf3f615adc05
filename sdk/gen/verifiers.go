package main

import (
	"bytes"
	"os"
)

// verifiers copies the verifiers into the packages as they are, so that reports are the same. Links would do on systems
// that have them.
func verifiers(*contract) (map[string][]byte, error) {
	inPython, err := os.ReadFile("verify/python/verify.py")
	if err != nil {
		return nil, err
	}
	inTypeScript, err := os.ReadFile("verify/ts/verify.ts")
	if err != nil {
		return nil, err
	}
	_, inPython, _ = bytes.Cut(inPython, []byte("\n")) // without the line that runs it
	return map[string][]byte{
		pythonHome + "_verify.py":    append([]byte(pythonMark), inPython...),
		typescriptHome + "verify.ts": append([]byte(typescriptMark), inTypeScript...),
	}, nil
}
