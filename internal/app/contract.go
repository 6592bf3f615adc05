package app

import "roshambo/internal/server/api"

// Contract returns api/openapi.yaml, generated from the operations.
func Contract() ([]byte, error) {
	a, err := api.New(api.Config{})
	if err != nil {
		return nil, err
	}
	return a.YAML()
}
