package panel_test

import (
	"context"

	"service/store/dashboard/page"
	"service/store/dashboard/panel"
)

func init() {
	view := func(in panel.Input) page.View {
		return page.View{
			Spec: in.Spec, Cubes: in.Cubes, LeftOut: in.LeftOut, Truncated: in.Truncated, Colors: in.Colors, Query: in.Query, Now: in.Now,
			Header: page.Header{
				Workspace: "Acme", WorkspaceSlug: "acme", Slug: "tiny", Name: "Tiny", State: "succeeded", AsOf: in.AsOf, URL: in.URL, Errors: in.Errors,
			},
		}
	}
	panel.SetPages(
		func(ctx context.Context, in panel.Input) ([]byte, error) { return page.Render(ctx, view(in)) },
		func(in panel.Input, i int) ([]byte, error) { return page.CSV(view(in), i) },
		page.ScriptName,
	)
}
