# Sourced by the programs in this folder: each records its id, so that a test can check later whether it is alive.
here=${0%/*}
home=${HOSTILE_HOME:-$HOME}

# Process id and start time, which together identify the process uniquely.
note_self() {
  read -r line < "/proc/$$/stat"
  set -- ${line##*) }
  echo "$$ ${20}" >> "$home/pids"
}

# Waits until this many processes have recorded their ids.
await_notes() {
  until [ "$(wc -l < "$home/pids")" -ge "$1" ]; do sleep 0.02; done
}

note_self
