package canvas

import "testing"

// Arabic words fit in the width that is computed for them, and in less than twice theirs. The widths are those of DejaVu Sans, shaped.
func TestArabicWidths(t *testing.T) {
	t.Parallel()
	for text, width := range map[string]float64{
		"السبت": 31.7, "الأحد": 22.9, "الاثنين": 28.6, "الثلاثاء": 29.1, "الأربعاء": 33, "الخميس": 38.9, "الجمعة": 32.5, "القاهرة": 34.5,
		"الإسكندرية": 50.2, "إلكترونيات": 49.4, "أدوات منزلية": 60.7, "ملابس": 30.9, "كتب": 20.2, "مؤسسة": 38.2, "نص": 17.3, "تخصص": 34.7,
		"سبتمبر": 33, "فارسی": 33.8, "پاکستان": 37.9, "صصص": 33.8,
	} {
		if got := LabelWidth(text); got < width || got > 2*width {
			t.Errorf("%s: %.1f pixels, and it is %.1f wide", text, got, width)
		}
	}
}
