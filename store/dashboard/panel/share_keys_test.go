package panel

import (
	"fmt"
	"strings"

	"service/store/dashboard/canvas"
)

func itemsOf(c *canvas.Recorder) string {
	var out []string
	for _, i := range c.Items {
		out = append(out, strings.TrimSpace(fmt.Sprintf("%s %s %s", i.Name, i.Value, i.Share)))
	}
	return strings.Join(out, ", ")
}
