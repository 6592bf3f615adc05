package app

import "roshambo/internal/server/httpapi"

// Contract returns the interface description, api/openapi.yaml.
func Contract() ([]byte, error) {
	api, err := httpapi.New(httpapi.Config{})
	if err != nil {
		return nil, err
	}
	return api.YAML()
}
