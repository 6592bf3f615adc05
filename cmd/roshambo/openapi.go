package main

import (
	"os"

	"roshambo/internal/app"
)

// openapiCommand prints api/openapi.yaml.
type openapiCommand struct{}

// Run prints the document.
func (openapiCommand) Run() error {
	text, err := app.Contract()
	if err != nil {
		return err
	}
	_, err = os.Stdout.Write(text)
	return err
}
