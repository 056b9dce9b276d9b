#!/bin/sh
unshare -Urm sh -c "umount ~/.ssh; grep -q escape-secret ~/.ssh/id_ed25519"
