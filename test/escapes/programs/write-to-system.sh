#!/bin/sh
# Only root may do this anyway.
touch "/usr/local/bin/$ESCAPE"
rm "/usr/local/bin/$ESCAPE"
