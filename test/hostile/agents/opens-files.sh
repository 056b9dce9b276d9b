#!/bin/sh
# Opens files until it may open no more, and ends without closing one.
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
