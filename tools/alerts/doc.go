// Package alerts tests packaging/prometheus and packaging/grafana: with Prometheus' parser, the syntax
// of rules and dashboard; with its query engine, when each alert fires and when it does not. It
// does not use promtool's package rules, which depends on the clients of several clouds, and
// therefore implements `for` itself.
package alerts
