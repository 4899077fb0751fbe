package snowflake

import (
	"net/http"
	"time"

	"service/store/warehouse"
)

// Gate is the check of a query before it is sent.
func Gate(sql string) error {
	_, err := (&engine{}).Check(sql)
	return err
}

// SignAs adds the headers of a target with a key pair.
func SignAs(t warehouse.Target, h http.Header) error {
	key, _ := warehouse.ParseKey(t.Password)
	return (&engine{account: "127", user: "READER", key: key, now: time.Now}).Sign(nil, h)
}
