#!/bin/sh
rm -f hard
ln ~/.ssh/id_ed25519 hard
grep -q escape-secret hard
