#!/bin/sh
mkdir -p ~/.claude && echo "{}" > ~/.claude/settings.json
