#!/bin/sh
# Opens files up to its limit and exits without closing any.
. "${0%/*}/note.sh"
exec node -e '
  const { openSync } = require("node:fs");
  let count = 0;
  try {
    for (; count < 50_000; count += 1) openSync("/dev/null", "r");
  } catch (error) {
    if (error.code !== "EMFILE" && error.code !== "ENFILE") throw error;
  }
  console.log(`opened ${count > 1000 ? "thousands" : count}`);
'
