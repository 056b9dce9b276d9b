#!/bin/sh
# Installs what some tests use from the system: bubblewrap for sealed checks, pytest and virtual environments for
# projects in Python, zsh and fish for completions, libfaketime for clocks that are set, age for encrypted archives,
# chromium for the page. It works as root on Debian and
# its kin; elsewhere those tests are skipped, each by its name.
missing=''
[ -x /usr/bin/bwrap ] || missing="$missing bubblewrap"
/usr/bin/python3 -c 'import pytest' 2>/dev/null || missing="$missing python3-pytest"
/usr/bin/python3 -c 'import ensurepip' 2>/dev/null || missing="$missing python3-venv"
for shell in zsh fish; do [ -x "/usr/bin/$shell" ] || missing="$missing $shell"; done
[ -x /usr/bin/age ] || missing="$missing age"
[ -x /usr/bin/chromium ] || missing="$missing chromium"
ls /usr/lib/*/faketime/libfaketime.so.1 > /dev/null 2>&1 || missing="$missing libfaketime"
[ -n "$missing" ] && [ "$(uname)" = Linux ] || exit 0
if [ "$(id -u)" != 0 ] || ! command -v apt-get > /dev/null; then
  echo "Not installed, and tests that need it are skipped:$missing"
  exit 0
fi
echo "Installing for the tests:$missing"
export DEBIAN_FRONTEND=noninteractive
{ apt-get update -qq && apt-get install -y -qq $missing; } > /dev/null 2>&1 ||
  echo "That did not work; tests that need it are skipped:$missing"
exit 0
