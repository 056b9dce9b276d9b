#!/bin/sh
grep -q escape-secret ~/.ssh/id_ed25519
