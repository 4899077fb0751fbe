#!/bin/sh
# Before the last version goes: upgrades go on. "remove" is dpkg's word for that, 0 is rpm's.
set -e
if [ "$1" = remove ] || [ "$1" = 0 ]; then
	if [ -d /run/systemd/system ]; then
		systemctl disable --now service.service service-backup.timer || true
	fi
fi
