package warehouse_test

import (
	"testing"

	"service/store/warehouse"
)

// TestHostAlone: an address that was copied from a browser or a vendor's console is refused with the reason; names and addresses are taken.
func TestHostAlone(t *testing.T) {
	t.Parallel()
	check := func(host string) string {
		err := warehouse.Target{Host: host, Port: 443, User: "reader", TLS: warehouse.TLSVerify}.Check("postgres")
		if err == nil {
			return ""
		}
		return err.Error()
	}
	for _, host := range []string{
		"https://acme.snowflakecomputing.com", "adb-1.2.azuredatabricks.net/", "trino.example.com:8443", "db.example.com/shop",
		"reader@db.example.com", "db.example.com?ssl=1", "db example.com", " db.example.com",
	} {
		if got := check(host); got != "host must be a name or an address alone, without https://, port and path" {
			t.Errorf("%s: %s", host, got)
		}
	}
	for _, host := range []string{"db.example.com", "db", "10.0.0.1", "::1", "fd00::1", "b\u00fccher.example", "my_db.internal"} {
		if got := check(host); got != "" {
			t.Errorf("%s: %s", host, got)
		}
	}
}
