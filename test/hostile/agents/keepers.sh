# Sourced by the programs that attack ralphd or their keeper.

# The ids of all ancestors up to ralphd, which comes last.
above() {
  pid=$PPID
  until grep -aq 'bin/ralphd.mjs' "/proc/$pid/cmdline"; do
    echo "$pid"
    read -r line < "/proc/$pid/stat"
    set -- ${line##*) }
    pid=$2
    [ "$pid" -gt 1 ] || return
  done
  echo "$pid"
}

# The file that names the keeper of the newest attempt.
started() {
  for file in .ralph/loops/*/iterations/*/attempt-*/started; do newest=$file; done
  echo "$newest"
}

keeper() {
  sed -n '1s/.*"pid": *\([0-9]*\).*/\1/p' "$(started)"
}
