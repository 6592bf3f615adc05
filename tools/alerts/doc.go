// Package alerts holds tests of what is shipped for Prometheus and Grafana: with the parser
// of Prometheus, what promtool would say of the rules and what Grafana would be answered;
// with its engine, when each alert fires and when it does not. What promtool tests rules
// with, package rules of Prometheus, is not used: it brings the clients of several clouds.
// So `for`, which is its own, is counted here.
package alerts
