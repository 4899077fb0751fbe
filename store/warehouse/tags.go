package warehouse

import "context"

// tags is the key of a context's tags.
type tags struct{}

// WithTags returns a context whose queries have tags more, such as the dashboard for which they run. Warehouses that can show them to
// their administrators beside the query.
func WithTags(ctx context.Context, more map[string]string) context.Context {
	all := map[string]string{}
	for _, some := range []map[string]string{TagsOf(ctx), more} {
		for name, value := range some {
			all[name] = value
		}
	}
	return context.WithValue(ctx, tags{}, all)
}

// TagsOf are the tags of a context. They are not to be changed.
func TagsOf(ctx context.Context) map[string]string {
	all, _ := ctx.Value(tags{}).(map[string]string)
	return all
}
