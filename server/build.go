package server

import (
	_ "embed"
	"runtime/debug"
	"strings"
)

// Release is the version of the program, its packages, plugin and entry in the registry.
const Release = "0.7.0"

// commit and date are set by the linker in releases and images, which are built without the git
// repository.
var commit, date string

// archived is "<commit> <date>" in an archive made by git, and a placeholder everywhere else: see .gitattributes.
//
//go:embed commit.txt
var archived string

// Build returns the commit that this program was built from, and its time. An unknown value is "unknown".
func Build() (revision, made string) {
	info, _ := debug.ReadBuildInfo()
	return build(commit, date, info, archived)
}

// build returns the values set by the linker, or else those found by the go command, or else those
// that git wrote into an archive.
func build(commit, date string, info *debug.BuildInfo, archived string) (revision, made string) {
	if commit != "" && date != "" {
		return commit, date
	}
	settings := map[string]string{}
	if info != nil {
		for _, s := range info.Settings {
			settings[s.Key] = s.Value
		}
	}
	if settings["vcs.revision"] != "" {
		revision = settings["vcs.revision"]
		if settings["vcs.modified"] == "true" {
			revision += "-modified"
		}
		return revision, settings["vcs.time"]
	}
	if revision, made, ok := strings.Cut(strings.TrimSpace(archived), " "); ok && !strings.HasPrefix(revision, "$") {
		return revision, made
	}
	return "unknown", "unknown"
}
