#!/bin/sh
# It acts when somebody runs git in that folder.
git init -q nested && git -C nested config core.fsmonitor ./evil
