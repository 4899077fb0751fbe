package tools_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
)

// TestDraftsOfFiles drafts pages of whole files. Each is published as it is, without a warning.
func TestDraftsOfFiles(t *testing.T) {
	t.Parallel()
	w := newWorld(t, newEngine(t))
	lines := func(head string, n int, line func(i int) string) string {
		var b strings.Builder
		b.WriteString(head + "\n")
		for i := range n {
			b.WriteString(line(i) + "\n")
		}
		return b.String()
	}
	day := func(i int) string { return fmt.Sprintf("2025-%02d-%02d", 1+i/28%12, 1+i%28) }
	for file, c := range map[string]struct{ content, want, not string }{
		"orders_export.csv": {
			lines("order_id,day,city,price,revenue", 300, func(i int) string {
				return fmt.Sprintf("A%d,%s,c%d,%d.5,$%d.10", i, day(i), i%5, i%7, i)
			}),
			`"title":"Orders"|"currency":"USD"|{"type":"kpi","title":"Revenue"|{"type":"kpi","title":"Orders","data":"data","value":"orders"|` +
				`"title":"Average price"|{"type":"line","title":"Revenue over time"|"title":"Revenue by city"|` +
				`"filters":[{"column":"day"},{"column":"city"}]|"title":"All orders"`,
			`"x":"order_id"`,
		},
		"budget 2026.csv": {
			"team,Jan,Feb,Mar\nSales,1,2,3\nOps,4,,6\n",
			`"order":["Jan","Feb","Mar"]|unnest([|"series":"team"|"type":"pivot"`, "",
		},
		"survey.csv": {
			lines("team,clear,fair,fun,comment", 60, func(i int) string {
				return fmt.Sprintf("t%d,%d,%d,%d,this is what I think about number %d", i%3, 1+i%5, 1+i%4, 5-i%5, i)
			}),
			`"label":"Responses"|"x":"question","y":"score"|"stack":"percent"|"5":"green"`, `"value":"fun"`,
		},
		"readings.csv": {
			lines("at,probe,temp_c,humidity_pct", 400, func(i int) string {
				return fmt.Sprintf("%s %02d:00,p%d,%d.5,%d.1", day(i/48), i/2%24, i%2, 10+i%24, 90-i%24)
			}),
			`"unit":"°C"|"label":"Temp"|"agg":"avg"|"series":"probe"|"type":"scatter"`, `"value":"readings"`,
		},
		"konten.csv": {
			lines("Buchungsdatum;Kontonummer;Kontoname;Betrag", 90, func(i int) string {
				return fmt.Sprintf("%02d.01.2025;40%02d;Konto %c;(1.%03d,50) €", 1+i%28, i%4, 'A'+i%4, i)
			}),
			`"locale":"de-DE"|"currency":"EUR"|"title":"Betrag nach Kontoname"|"title":"Alle Einträge"`, `nach Kontonummer`,
		},
		"places.csv": {
			lines("country,visitors", 40, func(i int) string {
				return []string{"France", "Italy", "Spain", "Chile", "Japan"}[i%5] + fmt.Sprintf(",%d", i)
			}),
			`"type":"map"|"area":"country"`, "",
		},
		"machines.csv": {
			lines("serial,model,lat,lon,year", 60, func(i int) string {
				return fmt.Sprintf("SN%d,m%d,%d.5,%d.25,%d", 700+i, i%3, 44+i%6, 3+i%9, 2010+i%8)
			}),
			`{"type":"map","data":"data","lat":"lat","lon":"lon","label":"serial"|` +
				`{"type":"line","title":"Machines by year","data":"data","x":"year"`, "",
		},
		"subscriptions.csv": { // levels and changes of levels
			lines("month,plan,customers,mrr,new_mrr", 48, func(i int) string {
				return fmt.Sprintf("%d-%02d-01,p%d,%d,%d.5,%d.25", 2024+i/2/12, 1+i/2%12, i%2, 300+i, 9000+50*i, 100+i*37%90)
			}),
			`"mrr":{"agg":"last"}|"customers":{"agg":"last"}|"new_mrr":{"agg":"sum"}|{"type":"kpi","title":"MRR"|"title":"New MRR"|` +
				`"title":"MRR over time"|"series":"plan"`,
			"",
		},
		"candidates.csv": { // each is in several rows
			lines("candidate,stage,reached_on", 900, func(i int) string { return fmt.Sprintf("%d,s%d,%s", i/2, i%4, day(i)) }),
			`{"type":"kpi","title":"Entries"|"title":"All entries"`, `"title":"Average candidate"`,
		},
		"batches.csv": { // numbers of things, by their values
			lines("lot,kg,at", 800, func(i int) string { return fmt.Sprintf("%d,%d.5,%s", 5000+i/2, i%9, day(i)) }),
			`{"type":"kpi","title":"Kg"`, `"title":"Average lot"`,
		},
		"ausleihen.csv": { // the name of the table is that of the measure
			lines("Datum;Zweigstelle;Medienart;Ausleihen;Mahngebühr", 200, func(i int) string {
				return fmt.Sprintf("%02d.%02d.2026;Z%d;M%d;%d;%d,50", 1+i%28, 1+i/28, i%3, i%4, 1+i%5, i%4)
			}),
			`"locale":"de-DE"|"Ausleihen":{"agg":"sum"}|"title":"Mahngebühr nach Zweigstelle"`, "",
		},
		"sales_eg.csv": { // in Arabic, without titles of the draft
			lines("التاريخ,المدينة,الكمية,المبلغ", 200, func(i int) string { return fmt.Sprintf("%s,c%d,%d,%d.5", day(i), i%4, 1+i%7, 10+i%90) }),
			`"locale":"ar"|"الكمية":{"agg":"sum"}|"المبلغ":{"agg":"sum"}|"value":"المبلغ"|` +
				`{"type":"table","title":"السجلات"`, `over time`,
		},
		"uriage.csv": { // 舗 and 売 are characters of Japanese only
			lines("日付,店舗,売上金額,数量", 200, func(i int) string { return fmt.Sprintf("%s,s%d,%d,%d", day(i), i%4, 100+i%7, 1+i%9) }),
			`"locale":"ja-JP"|"数量":{"agg":"sum"}|"title":"件数"`, "over time",
		},
		"xiaoshou.csv": { // characters of simplified Chinese only, with goods from Japan
			lines("日期,门店,销售额,数量", 200, func(i int) string { return fmt.Sprintf("%s,の%d,%d,%d", day(i), i%4, 100+i%7, 1+i%9) }),
			`"locale":"zh-CN"|"数量":{"agg":"sum"}|"title":"条数"`, "over time",
		},
		"店舗別売上.csv": {
			lines("年月,店舗,部門,売上高(円),客数", 96, func(i int) string {
				return fmt.Sprintf("%d年%d月,s%d,婦人服%d,%d,%d", 2023+i/48, 1+i/4%12, i%2, i/2%2, 100_000+i*i*37%9000, 300+i*7%90)
			}),
			`"locale":"ja-JP"|"売上高(円)":{"agg":"sum"}|"客数":{"agg":"sum"}|"title":"件数"`, "条数",
		},
		"ventas.csv": { // in Spanish
			lines("Fecha;Región;Tienda;Unidades;Importe;Coste", 200, func(i int) string {
				return fmt.Sprintf("%02d/%02d/2025;r%d;t%d;%d;%d,50;%d,25", 1+i%28, 1+i/28, i%3, i%5, 1+i%4, 10+i%90, 5+i%40)
			}),
			`"locale":"es-ES"|"Coste":{"agg":"sum"}|"Unidades":{"agg":"sum"}|"title":"Importe a lo largo del tiempo"|"title":"Importe por Región"|` +
				`"title":"Detalle: filas"`, "over time",
		},
		"comptages_velo.csv": { // in French
			lines("Compteur;Date et heure;Passages", 400, func(i int) string {
				return fmt.Sprintf("Pont %d;%02d/01/2025 %02d:00;%d", i%3, 1+i/72, i/3%24, i*i*7%300)
			}),
			`"locale":"fr-FR"|"Passages":{"agg":"sum"}|"title":"Passages au fil du temps"|"title":"Passages par Compteur"|` +
				`"title":"Détail : lignes"`, "Average",
		},
		"vendas.csv": { // in Portuguese, which shares words with Spanish
			lines("Data;Cidade;Estado;Produto;Quantidade", 200, func(i int) string {
				return fmt.Sprintf("%02d/%02d/2025;c%d;e%d;p%d;%d", 1+i%28, 1+i/28, i%3, i%5, i%4, 1+i%40)
			}),
			`"locale":"pt-BR"|"Quantidade":{"agg":"sum"}|"title":"Quantidade por`, "over time",
		},
		"clients.csv": { // in English, with words that French has too
			lines("client,passages,plan date,quantity", 90, func(i int) string { return fmt.Sprintf("c%d,%d,%s,%d", i%4, i%9, day(i), i%30) }),
			`"title":"Passages over time"`, "locale",
		},
		"hall_lines.csv": { // a target, and the measure that it is for
			lines("hour,line,made,target,scrap", 120, func(i int) string {
				return fmt.Sprintf("2025-05-%02dT%02d:00:00,Line %d,%d,%d,%d", 1+i/40, 6+i/5%8, i%5, 80+20*(i%5)+i*7%9, 90+20*(i%5), i*3%7)
			}),
			`"made":{"agg":"sum"}|"scrap":{"agg":"sum"}|"target":{"agg":"sum"}`, "Average",
		},
		"energy_load.csv": {
			lines("date,actual_mwh,forecast_mwh", 90, func(i int) string { return fmt.Sprintf("%s,%d.5,%d.5", day(i), 900+i*7%90, 905+i*7%90) }),
			`"actual_mwh":{"agg":"sum"|"forecast_mwh":{"agg":"sum"`, "Average",
		},
		"climate.csv": { // a target of values that do not add up
			lines("at,room,temp_c,target", 120, func(i int) string {
				return fmt.Sprintf("%s,r%d,%d.5,%d", day(i/3), i%3, 15+i%9, 16+i%9)
			}),
			`"target":{"agg":"avg"}`, `"agg":"sum"`,
		},
		"exam_scores.csv": { // the score is not the id of "scores"
			lines("Student,Class,Score,Score,Days absent", 120, func(i int) string {
				return fmt.Sprintf("Pupil %d,8%c,%d,%d,%d", i/3, 'A'+i%3, 20+i*7%80, 25+i*11%70, i%6)
			}),
			`"Score":{"agg":"avg"}|"Score_2":{"agg":"avg"}|"title":"Average Score"`, `"role":"dimension"`,
		},
		"site_traffic.csv": { // a name that ends with the letters of "id"
			lines("day,v_org,v_paid", 300, func(i int) string {
				return fmt.Sprintf("2025-%02d-%02d,%d,%d", 1+i/28, 1+i%28, 700+i*i*7%400, 100+i*i*11%299)
			}),
			`"v_paid":{"agg":"avg"}`, `"role":"dimension"`,
		},
		"hinmoku.csv": { // kana in the values
			lines("日付,店舗,売上金額,数量", 200, func(i int) string { return fmt.Sprintf("%s,みせ%d,%d,%d", day(i), i%4, 100+i%7, 1+i%9) }),
			`"locale":"ja-JP"|"売上金額":{"agg":"sum"}`, "over time",
		},
		"stations.csv": { // readings at places
			lines("month,station,lat,lon,rain_mm,kwh", 120, func(i int) string {
				return fmt.Sprintf("%d-%02d-01,s%d,%d.5,%d.25,%d.5,%d", 2024+i/60, 1+i/5%12, i%5, 50+i%5, 10+i%5, 20+i%40, i)
			}),
			`"type":"map","title":"Rain by station","data":"data","value":"rain_mm","lat":"lat","lon":"lon","label":"station"|"title":"kWh"`, "Kwh",
		},
		"moves.csv": { // flows, and a measure of people that is not a level
			lines("month,from_plan,to_plan,customers", 90, func(i int) string {
				return fmt.Sprintf("2026-%02d-01,p%d,p%d,%d", 1+i/9, i/3%3, i%3, 10+i*i*7%400)
			}),
			`"customers":{"agg":"sum"}|{"type":"sankey","data":"data","value":"customers","steps":["from_plan","to_plan"]`, "",
		},
		"plan.csv": { // spans of time
			lines("task,team,start,end,status", 12, func(i int) string {
				return fmt.Sprintf("task %c,t%d,2026-12-%02d,2027-01-%02d,s%d", 'A'+i, i%3, 1+i, 2+i, i%4)
			}),
			`{"type":"timeline","data":"data","series":"status","label":"task","start":"start","end":"end"`, `by task"`,
		},
		"experiment.csv": { // shares
			lines("user_id,day,variant,converted", 400, func(i int) string {
				return fmt.Sprintf("%d,%s,v%d,%d", i, day(i), i%3, map[bool]int{true: 1}[i%7 == 0])
			}),
			`"converted":{"agg":"avg","format":"percent1"}|"title":"Share converted"|"title":"Share converted by variant"`, "",
		},
		"targets.csv": { // quarters, and a panel with few bars beside one with many
			lines("quarter,rep,region,quota,deals", 48, func(i int) string {
				return fmt.Sprintf("2025-%02d-01,rep %c,r%d,%d,%d", 1+i/12*3, 'A'+i%12, i%3, 100+i*i%90, 3+i*5%11)
			}),
			`"quota":{"agg":"sum"}|"deals":{"agg":"sum"}|"grain":"quarter"|"x":"region","y":"quota","sort":"-quota","width":6`,
			`"grain":"month"`,
		},
		"visits.csv": { // events at any time, with a class in numbers
			lines("arrival,department,triage,wait_minutes", 600, func(i int) string {
				return fmt.Sprintf("%s %02d:%02d,d%d,%d,%d.5", day(i/20), i*7%24, i*i%60, i%4, 1+i%5, i*i%97)
			}),
			`{"type":"kpi","title":"Visits"|"title":"Average wait minutes by department"|"x":"triage","y":"visits","width":6|"type":"histogram"`,
			`"title":"Average triage"`,
		},
		"one.csv":   {"a\n1\n", "", ""},
		"words.csv": {"word\nalpha\nbeta\n", "", ""},
	} {
		added, err := w.Uploads.AddUpload(t.Context(), w.members["ada@acme"], file, []byte(c.content))
		w.must(err)
		r := w.call("explore_data", object("connection", added.Connection.ID, "upload", added.Upload.ID, "limit", 3))
		var out struct {
			Draft     json.RawMessage
			DraftNote string `json:"draft_note"`
			Rows      [][]any
			Files     []struct{ Filename string }
		}
		if r.IsError {
			t.Errorf("%s: %s", file, r.Text)
			continue
		}
		w.must(json.Unmarshal(r.Structured, &out))
		if len(out.Rows) > 3 || len(out.Files) != 1 || out.Files[0].Filename != file {
			t.Errorf("%s: %d rows, files %v", file, len(out.Rows), out.Files)
		}
		for _, want := range strings.Split(c.want, "|") {
			if !strings.Contains(string(out.Draft), want) {
				t.Errorf("%s: the draft has no %s: %s", file, want, out.Draft)
			}
		}
		if c.not != "" && strings.Contains(string(out.Draft), c.not) {
			t.Errorf("%s: the draft has %s: %s", file, c.not, out.Draft)
		}
		if out.Draft == nil {
			t.Errorf("%s: there is no draft: %s", file, out.DraftNote)
			continue
		}
		if no, warnings := w.dryRun(out.Draft); no != "" || len(warnings) > 0 {
			t.Errorf("%s: %s %q\n%s", file, no, warnings, out.Draft)
		}
	}
	r := w.call("explore_data", object("limit", 3))
	if !r.IsError || !strings.Contains(r.Text, "or an upload alone") {
		t.Errorf("nothing to explore: %s", r.Text)
	}
}
