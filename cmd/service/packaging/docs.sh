#!/usr/bin/env bash
# Copies the documentation of releases to a folder, with the paths of the repository, so that all links lead somewhere.
#
#   cmd/service/packaging/docs.sh FOLDER
set -euo pipefail
mkdir -p "$1"
to=$(cd "$1" && pwd)
cd "$(dirname "$0")/../../.."
tar --create .env.example README.md CHANGELOG.md SECURITY.md LICENSE docs auth/doc.go cmd/service/demo/README.md cmd/service/demo/*.json \
  cmd/service/testdata/peers/main.go tools/testdata/publish_dashboard.cut.json | tar --extract --directory="$to"
