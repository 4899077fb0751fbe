package panel

// on is a flag that a spec sets.
func on(v bool) *bool { return &v }
