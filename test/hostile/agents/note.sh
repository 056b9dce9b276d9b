# Read by the programs of this folder: each notes itself, so that a test can ask later whether it still lives.
here=${0%/*}
home=${HOSTILE_HOME:-$HOME}

# Number and start time of this process: together they name it for ever.
note_self() {
  read -r line < "/proc/$$/stat"
  set -- ${line##*) }
  echo "$$ ${20}" >> "$home/pids"
}

# Waits until this many processes have noted themselves.
await_notes() {
  until [ "$(wc -l < "$home/pids")" -ge "$1" ]; do sleep 0.02; done
}

note_self
