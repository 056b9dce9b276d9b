#!/bin/sh
. "${0%/*}/note.sh"
head -c 4096 /dev/urandom
printf '\n\377\376\000\200{"type":"result","text":"half\n'
printf '\033[2J\033]0;owned\007\033P$q"p\033\\\033[31mred\010\015\302\233\342\200\256txt\000'
printf '\033]52;c;b3duZWQ=\007\033[?1049h\377error: \033[31mred\342\200\256 text\000<promise>DO' >&2
exit "${1:-0}"
