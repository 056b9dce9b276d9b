#!/bin/sh
# Judged afterwards: git would read its settings from there.
echo ../evil > .git/commondir
