package tools

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"unicode"

	"service/store/dashboard"
	"service/store/pattern"
	"service/store/warehouse"
)

// draftWords are the words of a page in the language of its columns. Without formats of titles, those of the service are in its locale.
type draftWords struct {
	locale                     string
	overTime, by, average, all string
	share                      string
	entries, rows              string
	score, answer, count       string
}

var (
	englishWords = draftWords{
		overTime: "%s over time", by: "%s by %s", average: "Average %s", share: "Share %s", all: "All %s", entries: "Entries", rows: "rows",
		score: "Average score", answer: "Answer", count: "Answers",
	}
	germanWords = draftWords{
		locale: "de-DE", overTime: "%s im Zeitverlauf", by: "%s nach %s", average: "Ø %s", share: "Anteil %s", all: "Alle %s",
		entries: "Einträge", rows: "Zeilen", score: "Ø Bewertung", answer: "Antwort", count: "Antworten",
	}
	frenchWords = draftWords{
		locale: "fr-FR", overTime: "%s au fil du temps", by: "%s par %s", average: "%s (moyenne)", share: "%s (part)",
		all: "Détail : %s", entries: "Entrées", rows: "lignes", score: "Note moyenne", answer: "Réponse", count: "Réponses",
	}
	spanishWords = draftWords{
		locale: "es-ES", overTime: "%s a lo largo del tiempo", by: "%s por %s", average: "%s (media)", share: "%s (proporción)",
		all: "Detalle: %s", entries: "Registros", rows: "filas", score: "Puntuación media", answer: "Respuesta", count: "Respuestas",
	}
	portugueseWords = draftWords{
		locale: "pt-BR", overTime: "%s ao longo do tempo", by: "%s por %s", average: "%s (média)", share: "%s (proporção)",
		all: "Detalhe: %s", entries: "Registros", rows: "linhas", score: "Nota média", answer: "Resposta", count: "Respostas",
	}
	namesQuestion = pattern.New(`(?i)^(is|has|was|did|ist|hat)[_ .-]`)
)

// alphabetic are the languages of Latin letters other than English, with words of names of columns. German joins words, so its words are
// found within others.
var alphabetic = []struct {
	names *pattern.Pattern
	words draftWords
}{
	{pattern.New(`(?i)(datum|betrag|kunde|menge|preis|gebühr|umsatz|monat|jahr|wohnort|alter|kosten|anzahl|nummer|` +
		`straße|geschlecht|bereich|gruppe|beginn|abteilung|stelle|[a-z]{4}(ung|heit|keit)($|[_ .-])|[äöüß])`), germanWords},
	{pattern.New(`(?i)(^|[_ .'’(-])(heures?|jours?|semaine|mois|année|annee|ville|région|département|pays|magasin|boutique|rayon|compteur|` +
		`passages|client|clients|cliente|commandes?|achats?|ventes?|montant|prix|coût|cout|quantité|quantite|produits?|catégorie|categorie|` +
		`nom|prénom|prenom|numéro|numero de|statut|état|début|debut|fin|durée|duree|âge|adresse|livraison|facture|chiffre|recettes?|dépenses?|` +
		`depenses?|effectif|nombre de|taux|type de|mode de|date de|date et)($|[_ .'’)-])|[œëû]`), frenchWords},
	{
		pattern.New(`(?i)(^|[_ .(-])(fecha|hora|día|dia|semana|mes|año|anio|ciudad|región|provincia|país|tienda|sucursal|cliente|clientes|` +
			`pedidos?|compras?|ventas?|importe|monto|precio|coste|costo|cantidad|unidades|productos?|categoría|nombre|apellidos?|número|estado|` +
			`inicio|fin|duración|edad|dirección|entrega|factura|ingresos?|gastos?|empleados?|tipo de|fecha de)($|[_ .)-])|ñ|ción($|[_ .)-])`),
		spanishWords,
	},
	{pattern.New(`(?i)(^|[_ .(-])(data|hora|dia|semana|mês|mes|ano|cidade|região|estado|país|loja|filial|cliente|clientes|pedidos?|compras?|` +
		`vendas?|valor|preço|preco|custo|quantidade|unidades|produtos?|categoria|nome|sobrenome|número|início|inicio|fim|duração|idade|` +
		`endereço|entrega|fatura|receitas?|despesas?|funcionários?|tipo de|data de)($|[_ .)-])|[ãõ]`), portugueseWords},
}

// Characters that only Japanese, or only simplified Chinese, writes: not all of them, but those of common names of columns.
const (
	japaneseOnly = "売円舗駅県広図対発関価値歳戻込払仮働単戦実総経済検様黒毎収処険効変帰読続満帯伝児営労覧録観団圧囲転軽沢気従徳恵択拡斎桜" +
		"権歓渋緑縁聴臓薬蔵覚譲豊賛辺遅郷酔釈鉄銭齢歩"
	chineseOnly = "销额门单产类账户价总实际环营业务时间员编号货仓库县发车险贷费种级应该现购买卖订运输录计检测报药诊疗诉讼专职岗满义标负责态备说联电话" +
		"邮络统亿军币银问题讯讨论详细预测进动历长东华书关开见贝页风飞马鱼鸟龙齐"
)

// scripts are the scripts of columns that name a language. In these, drafts have no word but that for rows. Japanese is before Chinese,
// with which it shares characters.
var scripts = []struct {
	of    []*unicode.RangeTable
	words draftWords
}{
	{[]*unicode.RangeTable{unicode.Arabic}, draftWords{locale: "ar", entries: "السجلات"}},
	{[]*unicode.RangeTable{unicode.Hiragana, unicode.Katakana}, draftWords{locale: "ja-JP", entries: "件数"}},
	{[]*unicode.RangeTable{unicode.Hangul}, draftWords{locale: "ko-KR", entries: "건수"}},
	{[]*unicode.RangeTable{unicode.Han}, draftWords{locale: "zh-CN", entries: "条数"}},
}

// wordsOf returns the words of the language that most columns of a table are in. title is that of the table.
func wordsOf(facts []fact, title string) draftWords {
	in := make([]int, len(scripts))
	for _, f := range facts {
		for i, s := range scripts {
			if strings.ContainsFunc(f.Name, func(r rune) bool { return unicode.In(r, s.of...) }) {
				in[i]++
			}
		}
	}
	if isJapanese(facts, title) { // its columns can have characters of Chinese only
		in[1], in[3] = in[1]+in[3], 0
	}
	for i, s := range scripts {
		if in[i]*2 > len(facts) {
			return s.words
		}
	}
	return wordsOfLetters(facts)
}

// wordsOfLetters returns the words of the language of Latin letters in whose words at least three columns, or most of them, are named.
// English names have words of other languages by chance, and neighbouring languages share words, so the language has more than any other.
func wordsOfLetters(facts []fact) draftWords {
	best, most, second := englishWords, 0, 0
	for _, l := range alphabetic {
		n := 0
		for _, f := range facts {
			if l.names.MatchString(f.Name) {
				n++
			}
		}
		switch {
		case n > most:
			best, most, second = l.words, n, most
		default:
			second = max(second, n)
		}
	}
	if most > second && (most >= 3 || most*2 > len(facts)) {
		return best
	}
	return englishWords
}

// isJapanese reports whether a table whose columns have characters that Chinese and Japanese share is in Japanese: by its names, or else by
// its values, since a Chinese table can have names of Japanese goods.
func isJapanese(facts []fact, title string) bool {
	names := title
	var values strings.Builder
	for _, f := range facts {
		names += " " + f.Name
		for _, v := range f.values {
			if text, ok := v.(string); ok {
				values.WriteString(text)
			}
		}
	}
	for _, text := range []string{names, values.String()} {
		japanese, chinese := 0, 0
		for _, r := range text {
			switch {
			case unicode.In(r, scripts[1].of...), strings.ContainsRune(japaneseOnly, r):
				japanese++
			case strings.ContainsRune(chineseOnly, r):
				chinese++
			}
		}
		if japanese != chinese {
			return japanese > chinese
		}
	}
	return false
}

// title writes a title, or returns "" if the language has no format for it: the service then writes its own.
func title(format string, of ...any) string {
	if format == "" {
		return ""
	}
	return fmt.Sprintf(format, of...)
}

// label returns the label of a column.
func (p *draftedPage) label(column string) string {
	for i := range p.facts {
		if f := &p.facts[i]; f.Name == column {
			switch {
			case f.share:
				asked := dashboard.Label(namesQuestion.ReplaceAllString(f.Name, ""))
				return cmp.Or(title(p.words.share, p.within(asked)), asked)
			case f.agg == dashboard.Avg && f.use == useMeasure:
				return cmp.Or(title(p.words.average, p.named(f)), f.label)
			}
			return f.label
		}
	}
	if column == p.count {
		return p.countLabel()
	}
	return dashboard.Label(column)
}

// countLabel returns the label of the number of rows.
func (p *draftedPage) countLabel() string {
	has := func(names ...string) bool {
		return slices.ContainsFunc(p.facts, func(f fact) bool { return slices.Contains(names, strings.ToLower(f.Name)) })
	}
	noun := p.noun
	repeated := func(f fact) bool {
		return f.use == useID && strings.EqualFold(f.Name+"s", noun) && f.distinct*10 < f.rows*9
	}
	if slices.ContainsFunc(p.facts, repeated) { // a row is not one of them
		return p.words.entries
	}
	switch {
	case noun != "" || p.words.locale != "":
	case has("path", "url", "uri", "request") && has("status", "status_code", "code"):
		noun = "Requests"
	case len(p.scores) > 0:
		noun = "Responses"
	}
	return cmp.Or(noun, p.words.entries)
}

// within returns a label for the middle of a sentence: in English in small letters, unless it has capitals of its own.
func (p *draftedPage) within(label string) string {
	if p.words.locale != "" {
		return label
	}
	return dashboard.LowerLabel(label)
}

// named returns the label of a column for the middle of a sentence: as it is if its name has capitals, since these are how it is written.
func (p *draftedPage) named(f *fact) string {
	if f.label == f.Label && strings.ContainsFunc(f.Name, unicode.IsUpper) {
		return f.label
	}
	return p.within(f.label)
}

// currencyOf returns the ISO code of the only currency that the numbers of a file were written with, or "".
func currencyOf(units []warehouse.ColumnUnit) string {
	code := ""
	for _, u := range units {
		c := map[string]string{"$": "USD", "€": "EUR", "£": "GBP", "¥": "JPY", "%": ""}[u.Unit]
		if c == "" && len(u.Unit) == 3 {
			c = strings.ToUpper(u.Unit)
		}
		if c != "" && code != "" && c != code {
			return ""
		}
		code = cmp.Or(code, c)
	}
	return code
}
