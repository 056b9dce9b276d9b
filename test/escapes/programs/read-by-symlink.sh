#!/bin/sh
ln -sf ~/.ssh/id_ed25519 linked
grep -q escape-secret linked
