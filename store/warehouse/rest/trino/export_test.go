package trino

// Gate is the check of a query before it is sent.
func Gate(sql string) error {
	_, err := (&engine{}).Check(sql)
	return err
}
