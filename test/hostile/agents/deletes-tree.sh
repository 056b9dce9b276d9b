#!/bin/sh
# "contents" leaves the folder itself, "folder" does not even do that.
. "${0%/*}/note.sh"
tree=$PWD
case $1 in
  contents) find "$tree" -mindepth 1 -delete ;;
  folder) cd / && rm -rf "$tree" ;;
esac
