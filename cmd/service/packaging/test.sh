#!/usr/bin/env bash
# Installs the Debian package in a clean root and runs the main job from it: dashboards are published, refreshed and
# served, and restored from a backup. Needs root, debootstrap and curl.
#
#   cmd/service/packaging/test.sh dist/service_<version>_amd64.deb [<root made before>]
set -euo pipefail
package=$(realpath "$1")
root=${2:-}
made=
if [[ -z $root ]]; then
  made=$(mktemp --directory)
  root=$made/root
  debootstrap --variant=minbase bookworm "$root" >/dev/null
fi
server=
cleanup() {
  if [[ -n $server ]]; then
    kill "$server" 2>/dev/null || true
    wait "$server" || true
  fi
  umount --lazy "$root/dev/shm" "$root/proc" 2>/dev/null || true
  [[ -z $made ]] || rm -rf "$made"
}
trap cleanup EXIT
fail() { echo "FAILED: $*" >&2; exit 1; }

mount -t proc proc "$root/proc"
mount -t tmpfs tmpfs "$root/dev/shm"
cp "$package" "$root/tmp/service.deb"
cp /etc/resolv.conf "$root/etc/resolv.conf"
inside() { chroot "$root" /usr/bin/env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin DEBIAN_FRONTEND=noninteractive "$@"; }
printf '#!/bin/sh\nexit 101\n' >"$root/usr/sbin/policy-rc.d" # PostgreSQL's own cluster is not wanted
chmod 755 "$root/usr/sbin/policy-rc.d"
inside apt-get update -qq
inside apt-get install -qq -y --no-install-recommends postgresql /tmp/service.deb >/dev/null

[[ $(inside stat -c %U:%G:%a /etc/service/service.env) == root:service:640 ]] || fail "the configuration's owner and mode"
[[ $(inside stat -c %U:%a /var/lib/service) == service:711 ]] || fail "the data directory's owner and mode"
! inside sh -c 'ls /proc/*/exe -l 2>/dev/null | grep -q /usr/lib/service/service' || fail "the installation has started something"
said=$(inside servicectl version) # not tee /dev/stderr, which truncates the file if stderr is one
echo "$said"
grep -q '^commit  [0-9a-f]\{40\}' <<<"$said" || fail "the program does not know its commit"

cat >>"$root/etc/service/service.env" <<'ENV'
SERVICE_LISTEN_ADDR=127.0.0.1:18480
SERVICE_OPS_ADDR=127.0.0.1:19480
SERVICE_DEV_IDP_ADDR=127.0.0.1:18481
SERVICE_DEMO="true"
ENV
start() {
  # Not with the function, because then its process would be killed.
  chroot "$root" /usr/bin/env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin servicectl serve >>"$root/tmp/log" 2>&1 &
  server=$!
  for _ in $(seq 120); do
    if curl -sf http://127.0.0.1:19480/readyz >/dev/null; then return; fi
    kill -0 "$server" 2>/dev/null || { cat "$root/tmp/log"; fail "it did not start"; }
    sleep 0.5
  done
  fail "it is not ready"
}
stop() {
  kill "$server"
  wait "$server" || true
  server=
}
start
for _ in $(seq 60); do # the demo's dashboards are published through the tools, and refreshed in sealed workers
  if curl -sf http://127.0.0.1:19480/metrics | grep '^service_refreshes_total{state="succeeded"} 4' >/dev/null; then break; fi
  sleep 0.5
done
curl -sf http://127.0.0.1:19480/metrics | grep '^service_refreshes_total{state="succeeded"} 4' || fail "the demo is not refreshed"
[[ $(curl -s -o /dev/null -w '%{http_code}' -H 'Host: localhost:18480' --json '{"jsonrpc":"2.0","id":1,"method":"ping"}' \
  http://127.0.0.1:18480/mcp) == 401 ]] || fail "/mcp lets anybody in"
curl -sf -H 'Host: localhost:18480' http://127.0.0.1:18480/healthz >/dev/null || fail "/healthz"
inside servicectl backup /var/backups/service --keep 2
stop
inside sh -c 'rm -rf /var/lib/service/postgres'
said=$(inside sh -c 'servicectl restore /var/backups/service/service-*.dump')
echo "$said"
grep -q '5 dashboards' <<<"$said" || fail "the restore"
start
inside servicectl admin workspace list | grep '^acme' >/dev/null || fail "the workspace is not back"
stop
inside apt-get remove -qq -y service >/dev/null
inside test ! -e /usr/lib/service/service -a -d /var/lib/service/postgres || fail "removing it"
echo "the package works"
