package page

import "service/store/dashboard"

var candleColumns = []string{"day date", "o number none", "h number max", "l number min", "c number avg"}

// candlesOf is a candlestick panel of rows of a day and four prices.
func candlesOf(change func(*dashboard.Panel), rows ...[]any) View {
	p := dashboard.Panel{Type: dashboard.Candlestick, X: "day", Open: "o", High: "h", Low: "l", Close: "c"}
	if change != nil {
		change(&p)
	}
	return tiny([]dashboard.Panel{p}, candleColumns, rows...)
}
