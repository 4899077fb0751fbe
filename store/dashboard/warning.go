package dashboard

import (
	"fmt"
	"slices"
	"strings"

	"service/store/pattern"
)

// A Warning describes behaviour of a dashboard that its author may not have meant: data that is cut, merged, left out or ignored. It does
// not refuse the dashboard. Its message names the key to change.
type Warning struct {
	Code    string // one of [WarningCodes]
	Path    string // place in the spec, such as datasets[0].row_limit; "" for the whole
	Message string
}

// Warnf returns a warning with a message of a format: see [Sentence].
func Warnf(code, path, format string, args ...any) Warning {
	return Warning{code, path, Sentence(format, args...)}
}

// Sentence is [fmt.Sprintf] of a format with forms for one and for more, such as "%d {row is|rows are} left out". The first argument that
// is an int decides between them.
func Sentence(format string, args ...any) string {
	if false {
		return fmt.Sprintf(format, args...) // so that vet checks the formats of callers
	}
	form := "$2"
	if i := slices.IndexFunc(args, func(a any) bool { _, ok := a.(int); return ok }); i >= 0 && args[i] == 1 {
		form = "$1"
	}
	return fmt.Sprintf(bothForms.ReplaceAllString(format, form), args...)
}

var bothForms = pattern.New(`\{([^{}|]*)\|([^{}|]*)\}`)

// String returns the warning in the form of answers: [code] path: message.
func (w Warning) String() string {
	at := ""
	if w.Path != "" {
		at = w.Path + ": "
	}
	return "[" + w.Code + "] " + at + w.Message
}

// JoinWarnings returns warnings of which those with one code and one message are one, with all their paths.
func JoinWarnings(warnings []Warning) []Warning {
	var out []Warning
	at := map[Warning]int{} // by the warning without its path
	for _, w := range warnings {
		key := Warning{Code: w.Code, Message: w.Message}
		i, ok := at[key]
		switch {
		case !ok:
			at[key] = len(out)
			out = append(out, w)
		case w.Path != "":
			out[i].Path = strings.TrimPrefix(out[i].Path+", "+w.Path, ", ")
		}
	}
	return out
}

// The codes of warnings. docs/spec/warnings.md explains each.
const (
	WarnRangeEnd         = "range_end"
	WarnNoDimension      = "no_dimension"
	WarnFilterSkips      = "filter_skips"
	WarnDefaultUnknown   = "default_unknown"
	WarnOrderSkips       = "order_skips"
	WarnColorsUnused     = "colors_unused"
	WarnColorsNear       = "colors_near"
	WarnDatasetUnused    = "dataset_unused"
	WarnParamUnused      = "param_unused"
	WarnRowLimit         = "row_limit"
	WarnRowsNotCounted   = "rows_not_counted"
	WarnQueryFails       = "query_fails"
	WarnNoRows           = "no_rows"
	WarnSQLNotChecked    = "sql_not_checked"
	WarnRolledUp         = "rolled_up"
	WarnStock            = "stock"
	WarnGrainIgnored     = "grain_ignored"
	WarnIncomplete       = "incomplete"
	WarnCut              = "cut"
	WarnMerged           = "merged"
	WarnRanges           = "ranges"
	WarnLeftOut          = "left_out"
	WarnClipped          = "clipped"
	WarnNotOnMap         = "not_on_map"
	WarnLostValues       = "lost_values"
	WarnKeyIgnored       = "key_ignored"
	WarnColorsShared     = "colors_shared"
	WarnDoubtful         = "doubtful"
	WarnWidth            = "width"
	WarnOneAxis          = "one_axis"
	WarnPageNotDrawn     = "page_not_drawn"
	WarnCost             = "cost"
	WarnFromCode         = "from_code"
	WarnConnectionChange = "connection_change"
	WarnNameKept         = "name_kept"
	WarnReaders          = "readers"
	WarnAccess           = "access"
	WarnZone             = "zone"
	WarnCurrency         = "currency"
	WarnPlainLink        = "plain_link"
	WarnDeadLink         = "dead_link"
	WarnAlertAlways      = "alert_always"
	WarnAlertNever       = "alert_never"
	WarnAlertBlind       = "alert_blind"
	WarnDeliveryWaits    = "delivery_waits"
)

// WarningCodes are all codes, in the order of docs/spec/warnings.md.
var WarningCodes = []string{
	WarnRangeEnd, WarnNoDimension, WarnFilterSkips, WarnDefaultUnknown, WarnOrderSkips, WarnColorsUnused, WarnColorsNear,
	WarnDatasetUnused, WarnParamUnused, WarnRowLimit, WarnRowsNotCounted, WarnQueryFails,
	WarnNoRows, WarnSQLNotChecked, WarnPageNotDrawn, WarnCost,
	WarnRolledUp, WarnStock, WarnGrainIgnored, WarnIncomplete, WarnCut, WarnMerged, WarnRanges, WarnLeftOut, WarnClipped, WarnNotOnMap,
	WarnLostValues, WarnKeyIgnored,
	WarnColorsShared, WarnDoubtful, WarnOneAxis, WarnWidth,
	WarnFromCode, WarnConnectionChange, WarnNameKept, WarnReaders, WarnAccess, WarnZone, WarnCurrency, WarnPlainLink, WarnDeadLink,
	WarnAlertAlways, WarnAlertNever, WarnAlertBlind, WarnDeliveryWaits,
}
