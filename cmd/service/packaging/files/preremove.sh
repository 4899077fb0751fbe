#!/bin/sh
# Only when the package is removed, not for upgrades: dpkg passes "remove", rpm 0.
set -e
if [ "$1" = remove ] || [ "$1" = 0 ]; then
	if [ -d /run/systemd/system ]; then
		systemctl disable --now service.service service-backup.timer || true
	fi
fi
