/** Carried by the keeper, its pumps and its leash, never by the agent: it finds them, and the agent's sweep does not. */
export const keeperVariable = 'RALPHD_KEEPER';

/** Carries the keeper's program to its shell: as an argument it would fill the list of processes. */
export const programVariable = 'RALPHD_KEEPER_PROGRAM';

/** The keeper's settings: `k_` variables of its program. The agent's command is in its parameters. */
export const keeperSettings = [
  'folder',
  'marker',
  'markers',
  'host',
  'boot',
  'signal',
  'grace',
  'deadline',
  'loss',
  'blocks',
  'keep',
  'umask',
  'cat',
  'sleep',
  'setsid',
  'mv',
  'grep',
] as const;

/**
 * The process between ralphd and an agent, which outlives both: it starts the agent at most once, pumps what it prints
 * into the spools, records how it ended, and ends it at its deadline when no ralphd does. It runs in dash, bash and
 * busybox, with programs named by absolute paths, and forks as little as possible.
 *
 * Given: 0 the prompt, 1 and 2 the spools, 3 a line to ralphd. `core` is the keeper proper: it alone waits for the
 * agent; the shells above it only hold the pipes together.
 *
 * - The agent runs in the foreground: a shell has its background jobs ignore SIGINT, and they can never undo that.
 * - `$$` is the outermost shell everywhere; /proc/self/stat gives each one its own number without a fork.
 * - A printf on line 3 fails when ralphd is gone; SIGPIPE is ignored until the agent takes over.
 * - A shell keeps copies of what a redirected function had before: `core` is redirected by exec, or its leash would
 *   hold the pipes open.
 * - `leash` waits for ralphd's end of line 3 to close; while ralphd lives it is not even a sleeping timer. Then it looks
 *   for the agent, the child of core that leads a group: it trusts no file that an agent could have written.
 */
export const keeperProgram = `
set +aefuvx
unset ${programVariable}
trap '' HUP INT QUIT TERM PIPE
exec 5>&1 6>&2 >/dev/null 2>&1
[ "$k_umask" ] || k_umask=$(umask)
umask 077

who() {
  if read -r k_stat </proc/self/stat; then
    k_pid=\${k_stat%% *}
    started_at \${k_stat##*) }
  else
    k_pid=$(exec /bin/sh -c 'echo $PPID')
    k_start=$(LC_ALL=C TZ=UTC /bin/ps -o lstart= -p "$k_pid")
    k_start=\${k_start%"\${k_start##*[! ]}"}
  fi
}
started_at() { shift 19; k_start=$1; }

uptime() {
  if read -r k_now k_rest </proc/uptime; then k_now=\${k_now%%.*}; else k_now=$(/bin/date +%s); fi
}

pump() {
  ulimit -c 0
  ulimit -f "$k_blocks"
  exec "$k_cat" 3>&- 5>&- 6>&- 8>&-
}

find_agent() {
  k_agent=
  if [ -r /proc/self/stat ]; then
    for k_file in /proc/[0-9]*/stat; do
      read -r k_stat <"$k_file" && is_agent "\${k_stat%% *}" \${k_stat##*) }
    done
  else
    for k_row in $(/bin/ps -ax -o pid=,stat=,ppid=,pgid= | /usr/bin/tr -s ' ' ,); do
      IFS=, && is_agent \${k_row#,}
      unset IFS
    done
  fi
}
is_agent() { [ "$3" = "$k_pid" ] && [ "$4" = "$1" ] && k_agent=$1; }

signal_agent() { [ "$k_agent" ] && kill "-$1" "-$k_agent"; }

sweep() {
  [ "$k_grep" ] || return
  k_round=0
  while [ "$k_round" -lt 50 ]; do
    k_round=$((k_round + 1))
    k_found=
    for k_file in $("$k_grep" -lszE "^RALPHD_ATTEMPT=(.*,)?$k_marker(,.*)?$" /proc/[0-9]*/environ); do
      k_file=\${k_file%/environ}
      read -r k_name <"$k_file/comm"
      case "/$k_keep/" in */"$k_name"/*) continue ;; esac
      kill -KILL "\${k_file#/proc/}" && k_found=1
    done
    [ "$k_found" ] || return
  done
}

nap() {
  "$k_sleep" "$1" 3>&- &
  k_nap=$!
  [ "$k_over" ] || wait "$k_nap"
  kill -KILL "$k_nap"
  [ -z "$k_over" ] || over
}

over() {
  [ "$k_keep" ] || signal_agent KILL
  exit
}

leash() {
  exec >/dev/null 8>&- 9>&-
  k_over=
  while read -r k_word <&3; do :; done
  trap 'k_over=1' USR1
  find_agent
  k_why=deadline
  if [ "$k_loss" = end ]; then
    k_why=loss
  elif [ "$k_deadline" = 0 ]; then
    while :; do nap 86400; done
  else
    uptime
    k_left=$((k_since + k_deadline - k_now))
    [ "$k_left" -le 0 ] || nap "$k_left"
  fi
  printf '%s\\n' "$k_why" >"$k_folder/overdue"
  signal_agent "$k_signal"
  signal_agent CONT
  nap "$k_grace"
  printf '%s forced\\n' "$k_why" >"$k_folder/overdue"
  signal_agent KILL
  sweep
}

become_agent() {
  who
  printf 'agent %s %s\\n' "$k_pid" "$k_start" >&3
  trap - HUP INT QUIT TERM PIPE
  umask "$k_umask"
  unset RALPHD_KEEPER
  RALPHD_ATTEMPT=$k_markers
  export RALPHD_ATTEMPT
}

core() {
  exec 9>&2 2>/dev/null 5>&- 6>&-
  who
  set -C
  if ! printf '{"host":"%s","bootId":"%s","pid":%s,"startTime":"%s"}\\n' \\
    "$k_host" "$k_boot" "$k_pid" "$k_start" >"$k_folder/started"; then
    printf 'refused\\n' >&3
    exit
  fi
  set +C
  printf 'keeper %s %s\\n' "$k_pid" "$k_start" >&3
  uptime
  k_since=$k_now
  leash &
  k_leash=$!
  if [ "$k_setsid" ]; then
    (become_agent && exec "$k_setsid" "$@" 2>&9 3>&- 9>&-)
  else
    set -m
    (become_agent && exec "$@" 2>&9 3>&- 9>&-) &
    wait "$!"
  fi
  k_status=$?
  kill -USR1 "$k_leash"
  printf 'exit %s\\n' "$k_status" >&3
  set -C
  printf '%s\\n' "$k_status" >"$k_folder/exit" || {
    printf '%s\\n' "$k_status" >"$k_folder/exit.$k_pid" && "$k_mv" -f "$k_folder/exit.$k_pid" "$k_folder/exit"
  }
  k_word=
  read -r k_word <&3
  [ "$k_word" = mine ] || sweep
}

{ { exec 2>&1 >&8 8>&-; core "$@"; } | pump >&6; } 8>&1 | pump >&5
`;
