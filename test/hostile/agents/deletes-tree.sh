#!/bin/sh
# "contents" empties the folder, "folder" deletes it too.
. "${0%/*}/note.sh"
tree=$PWD
case $1 in
  contents) find "$tree" -mindepth 1 -delete ;;
  folder) cd / && rm -rf "$tree" ;;
esac
