#!/usr/bin/env bash
# Installs the named Debian packages that are missing. Needs no network if none is missing.
set -euo pipefail
missing=()
for package in "$@"; do
  status=$(dpkg-query -W -f='${db:Status-Status}' "$package" 2>/dev/null || true)
  [ "$status" = installed ] || missing+=("$package")
done
[ ${#missing[@]} -eq 0 ] && exit 0

sudo=()
if [ "$(id -u)" -ne 0 ]; then
  command -v sudo >/dev/null || { echo "no sudo to install the missing packages: ${missing[*]}" >&2; exit 1; }
  sudo=(sudo)
fi
echo "installing: ${missing[*]}" >&2
export DEBIAN_FRONTEND=noninteractive
install() { "${sudo[@]}" apt-get install -y -q --no-install-recommends "${missing[@]}" >/dev/null; }
# Fetches the package lists only if the first attempt fails: they may be missing or old.
install 2>/dev/null || { "${sudo[@]}" apt-get update -q >/dev/null && install; }
