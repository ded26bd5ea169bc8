package config_test

import "testing"

func TestACollectorHasAnAddress(t *testing.T) {
	tellsOf(t, []faulty{
		{"a host alone", "gateway: {traces: {endpoint: 'localhost:4318'}}\n" + begin + "  a: {model: m}\n", `1:30: gateway.traces.endpoint: "localhost:4318" is no address of a collector: write it like http://127.0.0.1:4318/v1/traces`},
		{"a key in the address", "gateway: {traces: {endpoint: 'https://u:k@otel.example.com/v1/traces'}}\n" + begin + "  a: {model: m}\n", `1:30: gateway.traces.endpoint: "https://u:k@otel.example.com/v1/traces" is no address of a collector: write it like http://127.0.0.1:4318/v1/traces`},
		{"headers alone", "gateway: {traces: {headers: {a: b}}}\n" + begin + "  a: {model: m}\n", `1:11: gateway.traces has no endpoint, and needs one: The collector's address, such as http://127.0.0.1:4318/v1/traces.`},
	})
}
