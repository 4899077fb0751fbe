package tools

import (
	"encoding/json"

	"service/store"
	"service/store/dashboard"
	"service/store/message"
)

// metaCode is the key of _meta in which publish_dashboard gets the file of origin of a spec, a [store.Code]. It is not an argument, because
// only the command "service dashboard" uses it, and the description of an argument would be in every conversation.
const metaCode = "service/from_code"

// code returns the file that the call names, or nil.
func (c call) code() (*store.Code, error) {
	given, ok := c.meta[metaCode]
	if !ok || given == nil {
		return nil, nil
	}
	raw, err := json.Marshal(given)
	if err != nil {
		return nil, err
	}
	var code store.Code
	if json.Unmarshal(raw, &code) != nil {
		return nil, message.Refuse("_meta.%s must be an object of the texts commit, path and hash", metaCode)
	}
	if err := code.Check(); err != nil {
		return nil, message.Refuse("_meta.%s: %v", metaCode, err)
	}
	return &code, nil
}

// overCode warns if a version without a file of origin replaces one that was published from a file.
func (c call) overCode(before store.Dashboard) *dashboard.Warning {
	if _, named := c.meta[metaCode]; named || before.Code == nil {
		return nil
	}
	return new(dashboard.Warnf(dashboard.WarnFromCode, "",
		"the page comes from Git, %s at commit %s: the next publish from there is refused until somebody pulls this version. Change the file "+
			"instead.", clip(before.Code.Path, 200), before.Code.Short()))
}
