package page

// clicks clicks on marks: with a mouse, by touch and by keyboard. Each has the target of its name in the table behind.
func clicks(b browser) {
	b.Helper()
	query := func() string { return evaluate[string](b, `decodeURIComponent(location.search)`) }
	// over is a script that points at a place of a plot, given as fractions of its width and height.
	const over = `const over = (s, x, y, type, of) => { const r = s.getBoundingClientRect();
		s.dispatchEvent(new PointerEvent(type, {clientX: r.left + r.width * x, clientY: r.top + r.height * y, bubbles: true, ...of})) };
		const plot = n => document.querySelectorAll('.plot')[n];`
	do := func(script string) { evaluate[string](b, `(() => { `+over+script+`; return '' })()`) }
	b.open("/commerce", 1360)
	for _, step := range []struct{ name, script, want string }{
		{"a bar", `over(plot(1), 0.48, 0.9, 'pointermove', {}); over(plot(1), 0.48, 0.9, 'click', {})`, "?f.day=2026-09-28..2026-10-04"},
		{"a day by keyboard", `plot(0).focus(); for (const key of ['ArrowRight', 'ArrowRight', 'Enter'])
			plot(0).dispatchEvent(new KeyboardEvent('keydown', {key, bubbles: true}))`, "?f.day=2026-09-29"},
		{"the day again", `document.querySelector('.src th a[aria-current]').click()`, ""},
		{"a slice", `document.querySelectorAll('.pie circle')[1].dispatchEvent(new MouseEvent('click', {bubbles: true}))`, "?f.channel=store"},
		{
			"two taps", `const tap = () => { over(plot(0), 0, 0.5, 'pointerdown', {pointerType: 'touch'});
			over(plot(0), 0, 0.5, 'pointerleave', {pointerType: 'touch'}); over(plot(0), 0, 0.5, 'click', {}) };
			tap(); if (document.querySelector('main').ariaBusy || !document.querySelector('.tip:not([hidden])')) throw 'one tap is enough'; tap()`,
			"?f.channel=store&f.day=2026-08-23",
		},
	} {
		b.inPlace(func() { do(step.script) })
		if got := query(); got != step.want {
			b.Errorf("%s led to %s, want %s", step.name, got, step.want)
		}
	}
	b.open("/german-panels?f.day=all", 1360)
	do(`over(plot(0), 0.5, 0.5, 'pointermove', {}); if (plot(0).style.cursor != 'pointer') throw 'it does not look like a link'`)
	const cell = `const s = document.querySelector('.plot[data-r]'); over(s, 0.3, 0.6, 'pointermove', {}); over(s, 0.3, 0.6, 'click', {})`
	b.inPlace(func() { do(cell) })
	if got := query(); got != "?f.name=Grace&f.day=2026-03-02" {
		b.Errorf("a cell led to %s", got)
	}
	b.inPlace(func() { do(cell) })
	if got := query(); got != "" {
		b.Errorf("the cell, clicked again, led to %s", got)
	}
}
