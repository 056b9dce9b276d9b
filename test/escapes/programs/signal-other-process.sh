#!/bin/sh
kill -0 "$VICTIM"
