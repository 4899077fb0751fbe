// Command sbom writes the bill of materials of a Go program as CycloneDX JSON: the modules that the go command
// has recorded in the program, with their checksums, and the toolchain.
//
//	sbom <program> <version> <date> > sbom.cdx.json
package main

import (
	"debug/buildinfo"
	"encoding/base64"
	"encoding/hex"
	"fmt"
	"os"
	"slices"
	"strings"

	cdx "github.com/CycloneDX/cyclonedx-go"
)

func main() {
	if len(os.Args) != 4 {
		fmt.Fprintln(os.Stderr, "usage: sbom <program> <version> <date>")
		os.Exit(2)
	}
	if err := write(os.Args[1], os.Args[2], os.Args[3]); err != nil {
		fmt.Fprintln(os.Stderr, "sbom:", err)
		os.Exit(1)
	}
}

func write(program, version, date string) error {
	info, err := buildinfo.ReadFile(program)
	if err != nil {
		return err
	}
	bom := cdx.NewBOM()
	bom.Metadata = &cdx.Metadata{
		Timestamp: date,
		Component: &cdx.Component{
			BOMRef: info.Main.Path, Type: cdx.ComponentTypeApplication, Name: "service", Version: version,
			Licenses: &cdx.Licenses{{License: &cdx.License{ID: "Apache-2.0"}}},
		},
	}
	toolchain := strings.TrimPrefix(info.GoVersion, "go")
	components := []cdx.Component{{
		BOMRef: "pkg:golang/std@" + toolchain, Type: cdx.ComponentTypeLibrary, Name: "std", Version: toolchain,
		PackageURL: "pkg:golang/std@" + toolchain,
	}}
	var refs []string
	for _, m := range info.Deps {
		if m.Replace != nil {
			m = m.Replace
		}
		url := "pkg:golang/" + m.Path + "@" + m.Version
		c := cdx.Component{BOMRef: url, Type: cdx.ComponentTypeLibrary, Name: m.Path, Version: m.Version, PackageURL: url}
		// h1 is the SHA-256 of the list of a module's files with their checksums.
		if raw, err := base64.StdEncoding.DecodeString(strings.TrimPrefix(m.Sum, "h1:")); err == nil && len(raw) == 32 {
			c.Hashes = &[]cdx.Hash{{Algorithm: cdx.HashAlgoSHA256, Value: hex.EncodeToString(raw)}}
		}
		components = append(components, c)
	}
	slices.SortFunc(components, func(a, b cdx.Component) int { return strings.Compare(a.BOMRef, b.BOMRef) })
	for _, c := range components {
		refs = append(refs, c.BOMRef)
	}
	bom.Components = &components
	bom.Dependencies = &[]cdx.Dependency{{Ref: info.Main.Path, Dependencies: &refs}}
	out := cdx.NewBOMEncoder(os.Stdout, cdx.BOMFileFormatJSON)
	return out.SetPretty(true).Encode(bom)
}
