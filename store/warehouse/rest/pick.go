package rest

import "service/store/rawjson"

// Pick returns the member of an object that a path of names leads to: of those with one name the first. It is nil if there is none. raw
// must be valid JSON. Nothing is decoded, so that fields which a warehouse adds cost nothing.
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

// PickText returns the text that a path leads to, or "".
func PickText(raw []byte, path ...string) string {
	text, _ := Text(Pick(raw, path...))
	return text
}
