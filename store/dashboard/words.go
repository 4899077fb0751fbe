package dashboard

import (
	"strings"

	"service/store/suggest"
)

// foreignWords are keys of other tools that a spec does not have, by the object in which people and models write them, each group with the
// key to use. Words that are other names of one key are in the tables next to its keys, such as otherPanelKeys; a word is looked up here
// if the object has no such key.
var foreignWords = map[string][]foreign{
	"a spec": {
		{"darkmode dark style styles css colorscheme palette colorway colors colours background color colour", themeHint},
		{"refreshinterval autorefresh cron updateevery interval ttl cache cachettl", scheduleHint},
		{"time timerange daterange period datefilter from to range dates", periodHint},
		{
			"tabs tab pages page sections",
			`a heading is {"type": "section", "title": "…"} in "panels"; other pages are dashboards of their own`,
		},
		{"sql query statement rawsql", `SQL belongs to a dataset: "datasets": [{"id": "…", "sql": "…"}]`},
		{
			"dimensions measures metrics fields calculations calculatedfields semantics",
			`"columns" of a dataset declares the columns of its SQL`,
		},
		{"transform transforms transformations joins join groupby where", `the "sql" of a dataset joins, filters and computes`},
		{"visibility public private share shared sharing owner owners embed", "members of the workspace open its dashboards; leave it out"},
		{
			"id uid uuid key schema $schema usermeta editable",
			"a dashboard is known by its slug, an argument of publish_dashboard; leave it out",
		},
		{
			"links link navigation menu drilldown",
			`"link" of a panel or of a table's column leads to another page, and so does Markdown in a text`,
		},
		{"header logo banner html script image icon", `a page has no HTML, images and scripts; Markdown is {"type": "text"} in "panels"`},
		{
			"width height size grid gridsize cols columncount rowheight",
			`each panel has a "width" of 12 columns, and the page chooses heights`,
		},
		{"limit rowlimit maxrows", `each dataset has a "row_limit"`},
		{"encoding mark layer x y", `"x", "y" and the like are keys of a panel in "panels"`},
		{"animation responsive interactive tooltip legend plugins renderer", lookHint},
	},
	"a panel": {
		{
			"theme darkmode css style styles classname background backgroundcolor font fontsize fontfamily fontcolor border borderradius",
			themeHint,
		},
		{"color colour colorby hue palette colorscheme scheme colorscale coloraxis", themeHint},
		{
			"opacity alpha fill fillopacity linewidth strokewidth stroke strokedash linestyle lineinterpolation marker markers markersize points " +
				"showpoints pointsize symbol symbolsize barwidth bargap categorygap cornerradius innerradius hole donut curve interpolate " +
				"interpolation tension step animation animate transition responsive shadow shape", lookHint,
		},
		{
			"grid gridlines showgrid dash bold italic markerstyle dashed ticks tickcount nticks ticklabels tickangle labelangle rotation " +
				"labelrotation crosshair margin padding align aspect aspectratio datazoom brush toolbox", lookHint,
		},
		{"size sizex sizey gridpos gridposition row col h rowspan", `"width" is of 12 columns; rows are in reading order and equally high`},
		{"refresh refreshinterval autorefresh cachettl ttl schedule", scheduleHint},
		{"single multi multiple dropdown selector variable variables filter where", `readers choose in "filters" at the top of the spec`},
		{"timefrom timeshift timerange timeframe daterange period datefilter timefield range", periodHint},
		{
			"axis2 y2 right rightaxis secondaryaxis secondary secondaryy yaxis2 dualaxis yaxisid yaxisindex yaxes " +
				"axisplacement y2axis yright righty",
			`a second axis is that of "y2" of a line or an area, a list of measures, or of "lines" in ` +
				`{"type": "combo", "x": "…", "bars": "…", "lines": "…"}`,
		},
		{
			"transform transforms transformations calculate fold join joins having cumulative runningtotal rank forecast " +
				"percentchange formula expression",
			`the "sql" of a dataset computes it`,
		},
		{
			"aggregate aggregates aggfunc aggfn aggregator aggregatefunction estimator reducer reduceoptions calcs func " +
				"mean avg sum",
			`"agg" of the column, under "columns" of the dataset, is how it adds up`,
		},
		{
			"encoding encode mark marks geom aes channels layer layers options config settings vizsettings visualizationsettings properties props " +
				"args fieldconfig chartoptions displayoptions",
			`keys are not nested: "title", "x", "y" and the others are keys of the panel itself`,
		},
		{
			"xtitle ytitle axistitle xaxistitle yaxistitle xlabel ylabel xaxislabel yaxislabel axislabel axislabels " +
				"xaxisformat tickformat valueformat numberformat axisformat " +
				"xformat yformat fmt d3format displayname",
			`an axis has the "label" and the "format" of its column, under "columns" of the dataset`,
		},
		{"lowerisbetter higherisbetter invertcolors invertcolours inversecolors goodisdown polarity direction", `"good": "down"` + ofColumn},
		{
			"emptytext emptymessage emptystate nodata nodatatext nodatamessage placeholder loadingtext",
			"a panel without rows has a sentence for that, in the language of the page; leave it out",
		},
		{
			"nulltext nullvalue nulllabel nullas na missingtext missinglabel",
			`a missing value is written as "–"; COALESCE in the "sql" of the dataset returns another`,
		},
		{"icon icons emoji emojis symbolicon", `there are no icons; a "title" can have an emoji`},
		{"badge status trafficlight rag", `"thresholds" colour the values of the types that have it; leave it out`},
		{"rowcolors rowcolours rowcolor zebra striped stripes banded alternating", lookHint},
		{"export download downloadable csv excel toolbar modebar", "readers download the rows of each panel, and the page; leave it out"},
		{
			"collapsible collapsed expanded collapse tabs tab pages",
			`panels do not fold; a heading is {"type": "section", "title": "…"} in "panels", and other pages are dashboards of their own`,
		},
		{
			"timezone tz locale language currencycode weekstart weekstarts",
			`"timezone", "locale", "currency" and "week_starts" are at the top of the spec`,
		},
		{"percentiles percentile quantiles quantile", `the "sql" of a dataset computes it, and a "box" draws the quartiles of a column`},
		{"gauge bullet progressbar", `a number with a goal is {"type": "kpi", "value": "…", "target": 100}`},
		{"pivot crosstab", `a table by dimensions down and across is {"type": "pivot", "rows": ["…"], "columns": ["…"], "values": ["…"]}`},
		{"label", `"x" and "series" name dimensions; the "label" of a column, under "columns" of the dataset, is its name for readers`},
		{
			"legend legendposition showlegend hidelegend legends legendpos nolegend legendtitle legendlabel",
			"a legend is above the marks where colours need one; leave it out",
		},
		{"alert alerts", `"alerts" are at the top of the spec`},
		{
			"axis axes",
			`an axis has the "label", "format" and "unit" of its column, under "columns" of the dataset; "y_min" and "y_max" are its ends`,
		},
		{"mode", `"type" is the kind of chart, and "stack" puts bars and areas on top of each other`},
		{
			"units currency yaxisformat dateformat timeformat datetimeformat negative negativeformat accounting",
			`"format", "decimals", "unit" and "negative" are set once per column, under "columns" of the dataset`,
		},
		{"adhocfilters show hide", `readers choose in "filters" at the top of the spec; the "sql" of a dataset leaves rows out for everybody`},
		{
			"searchable frozen freeze pinned sticky stickyheader fixedheader stickycolumn",
			"tables search, sort and keep their first column in sight by themselves; leave it out",
		},
		{"class variant emphasiscolor", themeHint},
		{"stepline notched boxpoints outliers showoutliers", lookHint},
		{
			"progress dependencies milestone milestones",
			`a timeline has "label", "start" and "end"; "thresholds" and "series" colour its spans, and a span that ends when it begins is a moment`,
		},
		{
			"events event vline vlines verticallines deployments",
			`events are marked on axes of times, by "events" at the top of the spec on all of them; this type has no such axis: leave it out`,
		},
		{"visible enabled if", `a panel is left out of "panels"; one without rows says so`},
		{"drilldown drillthrough onclick action actions url href", `"link" is of a panel with marks, and of a column of a table`},
	},
	"a dataset": {
		{
			"groupby where orderby filter filters join joins transform transforms aggregate having select distinct",
			`the "sql" does it: SELECT … FROM … WHERE … GROUP BY …`,
		},
		{"title label subtitle", `a dataset is not shown by itself: "title" and "description" are keys of a panel`},
		{"refresh cache ttl cachettl schedule refreshinterval", scheduleHint},
		{"params parameters variables args bindings inputs", `"params" are at the top of the spec, and {{id}} in the SQL is their value`},
		{"schema types columntypes formats metrics calculations format", `"columns" declares what the SQL does not say of its columns`},
		{"timezone tz database db dialect engine catalog", `"timezone" and "connection" are at the top of the spec, for all its datasets`},
		{"panels charts type kind", `a dataset is one query; "panels" at the top of the spec shows it`},
	},
	"a column": {
		{
			"sql expression formula calculation expr calc computed value",
			`the "sql" of the dataset computes it; a quotient that stays right under filters is "ratio": ["revenue", "orders"]`,
		},
		{"color colour colors palette sort sortorder values", `"columns" at the top of the spec has the order and the colours of columns`},
		{"width align alignment wrap sortable searchable pinned filterable", "tables choose it; leave it out"},
		{"currency currencycode symbol locale", `"currency" at the top of the spec is that of all "format": "currency"`},
		{"link url href sparkline bar heat", `it is a key of a column of a table: "columns": [{"column": "…", "link": "…"}]`},
		{"nullvalue null fill gaps missing", `"gaps" of a line, area or combo is how missing periods are drawn`},
		{"thresholds threshold conditionalformatting rules target goal", `"thresholds" and "target" are keys of a panel`},
	},
	"a column of a table": {
		{"width align alignment wrap sortable searchable pinned filterable", "tables choose it; leave it out"},
		{"agg aggregate aggregation summarize total role type", `it is set once per column, under "columns" of the dataset`},
		{"color colour colors palette background tone threshold thresholds rules conditionalformatting", columnToneHint},
		{"sort order desc", `"sort" is a key of the table`},
	},
	"a reference line": {
		{"style dash dashed linestyle strokedash width linewidth strokewidth opacity fill position showlabel fontsize", lookHint},
		{"x date on", `"events" of the panel marks a time, and "axis": "x" of a scatter a number of x`},
		{"measure column field data series", `a measure is drawn by its name in "y" or "lines", or as "target" of a bar or a line`},
		{"of window percentile quantile p sql", "another number than these kinds is computed by SQL, and drawn as a measure"},
	},
	"a threshold": {
		{"style font bold background icon", lookHint},
	},
	"an event": {
		{"tone color colour style icon dash", lookHint},
		{"data dataset", `events of a dataset are one object in place of the list: {"data", "x", "label"}`},
	},
	"events of a dataset": {
		{"tone color colour style icon dash", lookHint},
		{"sql query where filter", "the SQL of the dataset chooses the rows"},
	},
	"a filter": {
		{"operator op condition match comparator", `readers choose values or a range of days; "default" is what is chosen first`},
		{"values allowedvalues choices list items enum", "the choices are the values that the stored rows have; leave it out"},
		{"min max range start end from to", `of a date, "default" is a range such as "last_30_days", or a list of two dates`},
		{
			"dependson cascading cascade linked parent sort order limit search searchable placeholder width position",
			"the list has a search, and its order is that of the column; leave it out",
		},
		{"sql query source", "the choices are the values that the stored rows have; leave it out"},
	},
	"a parameter": {
		{"sql query source", `viewers choose among "options", a list in the spec; a filter lists stored values`},
		{"column field dimension", `a filter narrows a column: "filters": [{"column": "…"}]`},
		{
			"multi multiple multiselect required regex pattern min max step format",
			`a parameter has one value; "options" lists those that viewers may choose`,
		},
		{"description help placeholder hide hidden", `a parameter with "options" is shown with its "label"; others are not shown`},
	},
	"an alert": {
		{"above greaterthan gt over exceeds max upper", `write "if": ">" and "than": 100`},
		{"below lessthan lt under min lower", `write "if": "<" and "than": 100`},
		{"percentchange pctchange deltapct relative drop increase decrease", `write "change": {"against": "previous_week", "by": -0.2}`},
		{
			"evaluateevery frequency cron evaluate intervalseconds",
			"alerts are judged at each refresh; set_refresh_schedule sets when these are",
		},
		{"slack pagerduty teams discord phone sms address", `"to" names channels, which owners of the workspace make in the web application`},
		{"enabled active disabled paused silence silenced", "people mute alerts in the web application"},
		{"panel panelid chart", `"data" names a dataset, and "value" one of its measures`},
		{"aggregation aggregate reducer agg", `the measure adds up by "agg" of its column in the dataset; "x" with "grain" makes periods`},
	},
	"a delivery": {
		{"subject message body title text name", "a message has the page's name and its numbers; leave it out"},
		{"pdf png picture image theme", `e-mails have the page as a picture; "attach" adds "pdf", "csv" or "xlsx"`},
		{"panels panel sections", "a delivery is of the whole page; leave it out"},
		{"slack teams discord address mail", noAddress},
	},
}

// Sentences that several words have in common.
const (
	themeHint = `there are no themes and styles: a page follows its reader's light or dark mode; ` +
		`"columns" at the top of the spec gives values and measures their colours`
	wallHint = `a page fills a screen with "?wall" at the end of its address: large, dark and updated by itself; ` +
		`"&next=slug&every=30" goes round`
	scheduleHint   = "the schedule is not part of a spec; set_refresh_schedule sets it"
	periodHint     = `readers choose a period by a filter on a date: "filters": [{"column": "…", "default": "last_30_days"}]`
	columnToneHint = `"thresholds" of the table colours cells: [{"column": "…", "value": 100, "tone": "bad"}]`

	rowToneHint = `"thresholds" colours whole rows with "row": [{"column": "…", "value": 100, "tone": "bad", "row": true}]`

	// ofColumn ends hints on a key of a column.
	ofColumn = ` is a key of a column, under "columns" of the dataset`

	lookHint = "marks, axes and legends have one look on all pages, which the room decides; leave it out"
)

// A foreign is a group of words, as in [suggest.Plain], with the words to write instead.
type foreign struct {
	words string // separated by spaces
	hint  string
}

// foreignHints are the hints of foreignWords by object and word.
var foreignHints = func() map[string]map[string]string {
	out := map[string]map[string]string{}
	for object, groups := range foreignWords {
		out[object] = map[string]string{}
		for _, g := range groups {
			for word := range strings.FieldsSeq(g.words) {
				out[object][word] = g.hint
			}
		}
	}
	return out
}()

// foreignHint returns advice on the replacement of a word of other tools in an object that is called what, or "".
func foreignHint(what, word string) string {
	switch {
	case strings.HasPrefix(what, ofPanel):
		what = "a panel"
	case what == "a report":
		what = "a spec"
	case what == "a dataset of a report":
		what = "a dataset"
	}
	return foreignHints[what][suggest.Plain(word)]
}

// ofPanel begins the name of a panel in messages; the name of its type follows.
const ofPanel = "a panel of type "
