package main

import (
	"os"

	"roshambo/internal/app"
)

// openapiCommand prints the contract as it is committed in api/openapi.yaml.
type openapiCommand struct{}

// Run prints it.
func (openapiCommand) Run() error {
	text, err := app.Contract()
	if err != nil {
		return err
	}
	_, err = os.Stdout.Write(text)
	return err
}
