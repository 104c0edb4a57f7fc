#!/usr/bin/env bash
# Installs the missing ones of the named Debian packages, and says so first. Does nothing, and needs
# no network, if none is missing.
set -euo pipefail
if ! command -v dpkg-query >/dev/null; then
  echo "This is not Debian: install what docs/building.md lists, then use DEPS=0, as in 'make DEPS=0'." >&2
  exit 1
fi
missing=()
for package in "$@"; do
  status=$(dpkg-query -W -f='${db:Status-Status}' "$package" 2>/dev/null || true)
  [ "$status" = installed ] || missing+=("$package")
done
[ ${#missing[@]} -eq 0 ] && exit 0

sudo=()
if [ "$(id -u)" -ne 0 ]; then
  if ! command -v sudo >/dev/null; then
    echo "Cannot install without root or sudo: ${missing[*]} (skip with DEPS=0)" >&2
    exit 1
  fi
  sudo=(sudo)
fi
echo "Installing with ${sudo[*]:+sudo }apt-get (skip with DEPS=0): ${missing[*]}" >&2
export DEBIAN_FRONTEND=noninteractive
install() { "${sudo[@]}" apt-get install -y -q --no-install-recommends "${missing[@]}" >/dev/null; }
# Package lists that are missing or outdated are fetched only if the first attempt fails.
install 2>/dev/null || { "${sudo[@]}" apt-get update -q >/dev/null && install; }
