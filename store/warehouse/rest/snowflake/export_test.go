package snowflake

// Gate is what a query meets before any server does.
func Gate(sql string) error {
	_, err := (&engine{}).Check(sql)
	return err
}
