package page

import "service/store/dashboard/canvas/html"

// h marks text of this package as HTML: see [html.H].
type h = html.H
