#!/bin/sh
# The data stays, also after a purge: whoever wants it gone deletes it by hand.
set -e
if [ -d /run/systemd/system ]; then
	systemctl daemon-reload || true
fi
if [ "$1" = purge ] && [ -d /var/lib/service ]; then
	echo "The data of service stays: /var/lib/service and /var/backups/service."
fi
