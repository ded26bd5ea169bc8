#!/bin/sh
# Stops the service for good. Data, keys and the user stay: an approval gateway's record is not thrown away by accident.
set -e
if [ "$1" = remove ] && [ -d /run/systemd/system ]; then
	systemctl disable --now lineclear
fi
