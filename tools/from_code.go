package tools

import (
	"encoding/json"

	"service/store"
	"service/store/dashboard"
	"service/store/message"
)

// metaCode is the key of _meta in which publish_dashboard gets the file that a spec comes from, a [store.Code]. It is no argument, because
// only the command "service dashboard" has something to pass, and every conversation would read of it.
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

// overCode warns whoever replaces a page from a file by another one that comes from none.
func (c call) overCode(before store.Dashboard) *dashboard.Warning {
	if _, named := c.meta[metaCode]; named || before.Code == nil {
		return nil
	}
	return new(dashboard.Warnf(dashboard.WarnFromCode, "",
		"the page comes from Git, %s at commit %s: the next publish from there is refused until somebody pulls this one. Change the file "+
			"instead.", clip(before.Code.Path, 200), before.Code.Short()))
}
