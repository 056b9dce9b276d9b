#!/bin/sh
grep -rq escape-secret ~/.local/state/ralphd
