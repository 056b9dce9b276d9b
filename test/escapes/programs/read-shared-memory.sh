#!/bin/sh
grep -q escape-secret "$SHARED_MEMORY"
