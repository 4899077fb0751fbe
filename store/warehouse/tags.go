package warehouse

import "context"

// tags is the key of a context's tags.
type tags struct{}

// WithTags returns a context whose queries also have the tags of more, such as their dashboard. Warehouses that support tags show them to
// their administrators with the query.
func WithTags(ctx context.Context, more map[string]string) context.Context {
	all := map[string]string{}
	for _, some := range []map[string]string{TagsOf(ctx), more} {
		for name, value := range some {
			all[name] = value
		}
	}
	return context.WithValue(ctx, tags{}, all)
}

// TagsOf returns the tags of a context. The caller must not change them.
func TagsOf(ctx context.Context) map[string]string {
	all, _ := ctx.Value(tags{}).(map[string]string)
	return all
}
