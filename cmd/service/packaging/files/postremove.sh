#!/bin/sh
# The data is kept, even after a purge; it must be deleted by hand.
set -e
if [ -d /run/systemd/system ]; then
	systemctl daemon-reload || true
fi
if [ "$1" = purge ] && [ -d /var/lib/service ]; then
	echo "The data of service stays: /var/lib/service and /var/backups/service."
fi
