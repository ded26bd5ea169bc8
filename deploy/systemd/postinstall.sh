#!/bin/sh
# Makes the user and the folders. The service is not started: what it may do is said in agents.yaml first.
set -e
if ! getent passwd lineclear >/dev/null; then
	useradd --system --user-group --home-dir /var/lib/lineclear --shell /usr/sbin/nologin lineclear
fi
install -d -o lineclear -g lineclear -m 0700 /var/lib/lineclear /var/lib/lineclear/work /var/lib/lineclear-keys
if [ -d /run/systemd/system ]; then
	systemctl daemon-reload
	if systemctl --quiet is-active lineclear; then systemctl restart lineclear; fi
fi
[ -n "$2" ] || echo "Start the gateway with: systemctl enable --now lineclear
and make the first login link with: sudo -u lineclear gateway link --first --config /etc/lineclear/agents.yaml"
