#!/bin/sh
grep -q escape-secret ~/.git-credentials
