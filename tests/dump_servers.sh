#!/bin/sh
# Installs the servers that the round trips of dumps need, where they are missing: Debian's packages, as root.
set -eu
missing=''
ls /usr/lib/postgresql/*/bin/initdb >/dev/null 2>&1 || missing="$missing postgresql"
command -v mariadbd >/dev/null 2>&1 || [ -x /usr/sbin/mariadbd ] || missing="$missing mariadb-server"
command -v mariadb-dump >/dev/null 2>&1 || missing="$missing mariadb-client"
command -v sqlite3 >/dev/null 2>&1 || missing="$missing sqlite3"
[ -n "$missing" ] || exit 0
if [ "$(id -u)" -ne 0 ] || ! command -v apt-get >/dev/null 2>&1; then
    echo "missing:$missing; install them first (Debian, Ubuntu: sudo apt install$missing)" >&2
    exit 1
fi
export DEBIAN_FRONTEND=noninteractive
apt-get update -qq
# shellcheck disable=SC2086
apt-get install -y -qq --no-install-recommends $missing >/dev/null
