package rest

import "service/store/rawjson"

// Pick returns the member of an object at a path of names, or nil if the object has no such member. It uses the first of several members
// with the same name. raw must be valid JSON. Pick decodes nothing, so that fields which a warehouse adds cost nothing.
func Pick(raw []byte, path ...string) []byte {
next:
	for _, name := range path {
		for key, value := range rawjson.Members(raw) {
			if len(key) == len(name)+2 && string(key[1:len(key)-1]) == name {
				raw = value
				continue next
			}
		}
		return nil
	}
	return raw
}

// PickText returns the text at a path, or "".
func PickText(raw []byte, path ...string) string {
	text, _ := Text(Pick(raw, path...))
	return text
}
