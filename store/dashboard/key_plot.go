package dashboard

// Keys of panels that draw marks along axes.
var (
	keyLabels = panelKey{
		name: "labels", kind: aFlag, doc: "values written at the marks", note: "Default where all have room.", terse: true,
		read: func(o *object, p *Panel, _ *panelType) {
			if o.has("labels") {
				written := o.boolean("labels")
				p.Labels = &written
			}
		},
	}
)
