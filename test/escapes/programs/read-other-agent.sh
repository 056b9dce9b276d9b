#!/bin/sh
grep -q escape-secret ~/.codex/auth.json
