// Command work verifies one request of the test TestWorkIsLinear. The test builds it with coverage, which
// counts the statements that run.
package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"

	"roshambo/verify"
)

func main() {
	var request struct {
		Proof     []byte   `json:"proof"`
		Export    []byte   `json:"export"`
		Key       *string  `json:"key"`
		Witnesses []string `json:"witnesses"`
		Receipts  *string  `json:"receipts"`
	}
	if err := json.NewDecoder(os.Stdin).Decode(&request); err != nil {
		panic(err)
	}
	if request.Export != nil {
		report, err := verify.Export(bytes.NewReader(request.Export), verify.ChainOptions{Witnesses: request.Witnesses})
		if err != nil || !report.Valid {
			panic(fmt.Sprint(err, report.Problems)) // work on a chain that is refused at its beginning shows nothing
		}
		return
	}
	o := verify.Options{Key: request.Key, Witnesses: request.Witnesses}
	if request.Receipts != nil {
		o.Receipts = []byte(*request.Receipts)
	}
	verify.Proof(request.Proof, o)
}
