package app

import "roshambo/internal/server/httpapi"

// Contract returns api/openapi.yaml, generated from the operations.
func Contract() ([]byte, error) {
	api, err := httpapi.New(httpapi.Config{})
	if err != nil {
		return nil, err
	}
	return api.YAML()
}
