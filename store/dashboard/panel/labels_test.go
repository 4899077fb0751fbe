package panel

// on returns a pointer to a flag, as a spec has it.
func on(v bool) *bool { return &v }
