#!/usr/bin/env bash
# Builds what is released, into dist/: for each target a program, an archive, packages for Debian and Red Hat and a
# bill of materials; and their checksums. The same source gives the same files: times are those of the commit, and they
# depend on this machine only by the oldest version of the C library that works.
#
#   cmd/service/packaging/release.sh [linux/amd64 linux/arm64 …]    by default the targets that this machine can link
#
# The program contains DuckDB, so each target needs its own C++ compiler: aarch64-linux-gnu-g++ for
# linux/arm64 (apt-get install g++-aarch64-linux-gnu), and a Mac for darwin.
set -euo pipefail
root=$(cd "$(dirname "$0")/../../.." && pwd)
here=cmd/service/packaging
cd "$root"
export LC_ALL=C TZ=UTC GOFLAGS= GOWORK=off CGO_ENABLED=1
umask 022

# Releases contain Go's standard library: an older patch than the one that go.mod names lacks security fixes.
patched=$(sed -n 's/^toolchain go//p' go.mod)
have=$(go env GOVERSION)
have=${have#go}
oldest=$patched
[[ $have != 1.27* ]] || oldest=1.27.3
if [[ $(printf '%s\n' "$oldest" "$have" | sort --version-sort | head -1) != "$oldest" ]]; then
  echo "Go $have lacks fixes of security that Go $oldest has: install that, or run this with GOTOOLCHAIN=go$oldest" >&2
  exit 1
fi

version=$(sed -n 's/^const Release = "\(.*\)"$/\1/p' server/build.go)
if [[ $(git rev-parse --show-toplevel 2>/dev/null) == "$root" ]]; then
  commit=$(git rev-parse HEAD)
  stamp=$(git show -s --format=%cI HEAD)
  test -z "$(git status --porcelain)" || commit+=-modified
else # an archive that git has made
  read -r commit stamp <server/commit.txt
  [[ $commit != '$'* ]] || { echo "neither a checkout of git nor an archive that git has made: commit and date are unknown" >&2; exit 1; }
fi
SOURCE_DATE_EPOCH=$(date --date="$stamp" +%s)
date=$(date --date="@$SOURCE_DATE_EPOCH" +%Y-%m-%dT%H:%M:%SZ)
export SOURCE_DATE_EPOCH

host=$(go env GOHOSTOS)/$(go env GOHOSTARCH)
compiler() { # prints the C and the C++ compiler of a target, or fails
  case $1 in
    "$host") echo "${CC:-cc} ${CXX:-c++}" ;;
    linux/arm64) echo aarch64-linux-gnu-gcc aarch64-linux-gnu-g++ ;;
    linux/amd64) echo x86_64-linux-gnu-gcc x86_64-linux-gnu-g++ ;;
    *) return 1 ;;
  esac
}
can() {
  local cc cxx
  read -r cc cxx < <(compiler "$1") && command -v "$cc" >/dev/null && command -v "$cxx" >/dev/null
}

asked=("$@")
targets=("${asked[@]}")
((${#targets[@]})) || targets=(linux/amd64 linux/arm64 darwin/arm64)
rm -rf dist
mkdir dist
# The program contains the commit that git writes into an archive; builds from a checkout add it too, so that both are equal.
scratch=$(mktemp --directory)
trap 'rm -rf "$scratch"' EXIT
echo "$commit $stamp" >"$scratch/commit.txt"
echo "{\"Replace\": {\"$root/server/commit.txt\": \"$scratch/commit.txt\"}}" >"$scratch/overlay.json"
built=0
for target in "${targets[@]}"; do
  if ! can "$target"; then
    echo "$target: left out, since there is no C++ compiler for it on this machine" >&2
    ((${#asked[@]} == 0)) || exit 1
    continue
  fi
  read -r CC CXX < <(compiler "$target")
  os=${target%/*} arch=${target#*/} name=service-$version-${target/\//-}
  stage=dist/$name
  mkdir "$stage"
  echo "$target: $name"
  link= # DuckDB exports symbols for extensions, but the program loads none: 7 MB
  [[ $os != linux ]] || link=-extldflags=-Wl,--no-export-dynamic
  CC=$CC CXX=$CXX GOOS=$os GOARCH=$arch go build -trimpath -buildvcs=false -overlay "$scratch/overlay.json" \
    -ldflags "-s -w -buildid= $link -X service/server.commit=$commit -X service/server.date=$date" -o "$stage/service" ./cmd/service
  (cd $here && GOFLAGS=-mod=readonly go run ./sbom "$root/$stage/service" "$version" "$date") >"$stage/sbom.cdx.json"
  $here/docs.sh "$stage/doc"
  chmod -R u=rwX,go=rX "$stage"
  find "$stage" -exec touch --no-dereference --date="@$SOURCE_DATE_EPOCH" {} +
  tar --create --sort=name --owner=0 --group=0 --numeric-owner --format=gnu --directory=dist "$name" | gzip -9n >"dist/$name.tar.gz"
  cp "$stage/sbom.cdx.json" "dist/$name.cdx.json"
  if [[ $os == linux ]]; then
    GLIBC=$(objdump --dynamic-syms "$stage/service" | grep -o 'GLIBC_[0-9.]*' | sort --unique --version-sort | tail -1)
    cp $here/files/* "$stage"
    find "$stage" -exec touch --no-dereference --date="@$SOURCE_DATE_EPOCH" {} +
    for format in deb rpm; do
      (cd $here && VERSION=$version ARCH=$arch GLIBC=${GLIBC#GLIBC_} STAGE=$root/$stage \
        go tool nfpm package --config nfpm.yaml --packager "$format" --target "$root/dist/")
    done
  fi
  rm -r "$stage"
  built=$((built + 1))
done
((built)) || { echo "nothing was built" >&2; exit 1; }
cd dist
sha256sum -- * >SHA256SUMS
cat SHA256SUMS
