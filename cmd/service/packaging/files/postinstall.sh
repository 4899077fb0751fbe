#!/bin/sh
# Creates the account and the directories. It does not start or enable the service.
set -e
if [ "$1" = abort-upgrade ] || [ "$1" = abort-remove ]; then
	exit 0
fi
if command -v systemd-sysusers >/dev/null; then
	systemd-sysusers service.conf
elif ! getent passwd service >/dev/null; then
	useradd --system --user-group --home-dir /var/lib/service --no-create-home --shell /usr/sbin/nologin service
fi
# The embedded PostgreSQL and the key are inside, with their own modes.
[ -d /var/lib/service ] || install -d -o service -g service -m 0711 /var/lib/service
[ -d /var/backups/service ] || install -d -o service -g service -m 0700 /var/backups/service
chown root:service /etc/service /etc/service/service.env
if [ -d /run/systemd/system ]; then
	systemctl daemon-reload || true
	# An upgrade restarts running units; an installation starts none.
	systemctl try-restart service.service || true
fi
