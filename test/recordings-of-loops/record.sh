#!/bin/bash
# Records loops in every state with one version of ralphd: record.sh LAUNCHER FORMAT, for example
#   record.sh ~/ralphd-0.1.0/bin/ralphd.mjs format-2
# Each loop becomes FORMAT/NAME.tar.gz: `tree` is its working directory, `.ralph` its state folder.
# The working directory is recorded as /proc/self/cwd/tree, so that a copied loop can be resumed anywhere.
set -eu
launcher=$(realpath "$1")
node=$(command -v node)
here=$(cd "$(dirname "$0")" && pwd)
out=$here/$2
base=/tmp/ralphd-recording
rm -rf "$base" "$out"
mkdir -p "$base" "$out"

ralphd() { env -i PATH=/usr/bin:/bin HOME="$base/home" "$node" "$launcher" "$@" > "$base/output" 2>&1 < /dev/null; }

# A project with an agent that works until `finish` exists, and a check that requires `done`.
project() {
  name=$1
  rm -rf "$base/home" "$base/$name"
  mkdir -p "$base/$name/tree" "$base/home"
  cd "$base/$name"
  cat > tree/agent.sh <<'END'
#!/bin/sh
cat > /dev/null
echo more >> work
[ -e hang ] && { echo $$ > hanging; until [ -e go ]; do sleep 0.1; done; }
[ -e finish ] || { echo working; exit 0; }
touch done
echo "<promise>DONE</promise>"
END
  cat > tree/check.sh <<'END'
#!/bin/sh
[ -e hang-check ] && { echo $$ > checking; exec sleep 600; }
test -f done || { echo "done is missing"; exit 1; }
END
  chmod +x tree/*.sh
  cat > ralphd.yml <<END
workingDir: /proc/self/cwd/tree
stateDir: $base/$name/.ralph
agent: command
agentCommand: ./agent.sh
verify: [./check.sh]
iterationDelay: 0s
onLimit: pause
iteration: { killGrace: 200ms }
END
}

run() { ralphd run "Fix the tests" --loop-id "ralph-$name-a1b2c3d4" --no-guard "$@" || echo "$name: exit $?"; }

# Starts a loop and returns once a file of the project exists.
start_until() {
  file=$1; shift
  ralphd run "Fix the tests" --loop-id "ralph-$name-a1b2c3d4" --no-guard "$@" & launched=$!
  until [ -e "$file" ]; do sleep 0.1; done
  sleep 0.5
}

# Kills every process of this project, as a power cut does; with "ralphd", only ralphd itself.
kill_all() {
  for folder in /proc/[0-9]*; do
    if grep -qsz "^HOME=$base/home$" "$folder/environ"; then
      if [ "${1:-}" != ralphd ] || grep -qa "$launcher" "$folder/cmdline"; then kill -9 "${folder#/proc/}" 2> /dev/null || true; fi
    fi
  done
  wait "$launched" || true
}

# Packs the current state.
keep() {
  rm -rf tree/.git tree/hang tree/hang-check tree/hanging tree/checking
  tar --sort=name --owner=0 --group=0 --numeric-owner -czf "$out/$name.tar.gz" \
    --exclude=.ralph/.gitignore --exclude='.ralph/registry.*' --exclude='.ralph/loops/*/reserve' tree .ralph
}

project paused; run -n 3; keep
project guarded; ralphd run "Fix the tests" --loop-id ralph-guarded-a1b2c3d4 -n 2 || true; keep
project completed; touch tree/finish; run; keep
project trusted; touch tree/finish; sed -i '/^verify/d' ralphd.yml; run --trust-promise --no-auto-test; keep
project failed; sed -i '/^onLimit/d' ralphd.yml; run -n 2; keep
project aborted; touch tree/hang; start_until tree/hanging; ralphd abort; wait "$launched" || true; keep
project killed; touch tree/hang; start_until tree/hanging; kill_all; keep
project orphaned; touch tree/hang; start_until tree/hanging; kill_all ralphd; touch tree/go tree/finish
  until [ -s .ralph/loops/*/iterations/001/attempt-1/exit ]; do sleep 0.1; done; rm tree/go; keep
project killed-in-gate; touch tree/finish tree/hang-check; start_until tree/checking --no-baseline; kill_all; keep
project backed-up; run -n 2; ralphd backup; ralphd resume -n 4 || true; keep
project several-owners; touch tree/hang; start_until tree/hanging; kill_all; rm tree/hang tree/hanging
  ralphd resume -n 2 || true; ralphd resume -n 3 || true; keep

project with-conditions
cat >> ralphd.yml <<'END'
stopConditions:
  customScripts: ['exit 1']
  stopOnPatterns: ['out of credits']
  stop: [{ type: all, conditions: [{ type: max_iterations, count: 50 }, { type: max_duration, duration: 1h }] }]
  failure: [{ type: file_created, path: broken.txt }]
  success: [{ type: file_created, path: done }]
END
run -n 2; keep

project with-hooks
cat >> ralphd.yml <<'END'
hooks:
  - { name: before, at: [pre_iteration], run: 'echo before', priority: 5 }
  - { name: after, at: [post_iteration, on_progress], run: 'echo after' }
END
run -n 2; keep

project with-tests
cat > tree/report.sh <<'END'
#!/bin/sh
echo "TAP version 13"; echo "1..2"; echo "ok 1 - adds"
[ -e done ] && { echo "ok 2 - subtracts"; exit 0; }
echo "not ok 2 - subtracts"; exit 1
END
chmod +x tree/report.sh; sed -i 's/^verify.*/verify: [.\/report.sh]/' ralphd.yml; run -n 2 --no-promise; keep

project waiting
cat > tree/agent.sh <<'END'
#!/bin/sh
if [ "$1" = --version ]; then echo "2.1.325 (Claude Code)"; exit 0; fi
cat > /dev/null
if [ ! -e finish ]; then
  touch limited
  echo '{"type":"rate_limit_event","rate_limit_info":{"status":"rejected","resetsAt":1900000000}}'
  echo '{"type":"result","subtype":"success","is_error":true,"terminal_reason":"api_error","api_error_status":429,"api_error":"usage_limit_reached","result":"You have hit your limit"}'
  exit 1
fi
touch done
echo '{"type":"result","subtype":"success","is_error":false,"result":"<promise>DONE</promise>"}'
END
sed -i 's/^agent: .*/agent: claude/; s/^agentCommand.*/agents: { claude: { command: .\/agent.sh } }/' ralphd.yml
start_until tree/limited; until grep -q wait.scheduled .ralph/loops/*/journal/*; do sleep 0.1; done; sleep 1; kill_all; keep

if command -v bwrap > /dev/null; then
  project sealed; touch tree/finish
  (cd tree && git init -q -b main && git add . && git -c user.name=A -c user.email=a@example.org commit -qm first)
  sed -i "s#^workingDir.*#workingDir: $base/sealed/tree#" ralphd.yml
  run --verify-in sealed; if [ -e .ralph ]; then keep; fi
fi

rm -rf "$base"
du -sh "$out"
