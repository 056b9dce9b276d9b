#!/bin/sh
. "${0%/*}/note.sh"
rm -rf .git
case $1 in
  other) git init -q && git -c user.name=x -c user.email=x@y commit -q --allow-empty -m other ;;
  file) echo 'gitdir: /nowhere' > .git ;;
  link) ln -s / .git ;;
esac
