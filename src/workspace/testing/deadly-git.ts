import { chmodSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { onTestFinished } from 'vitest';

/** A git that kills whoever called it. */
export interface DeadlyGit {
  /** A search path on which it comes first. */
  readonly searchPath: string;
  /** Which call is deadly, counted from 1, and whether git still does its work. */
  arm(call: number, when: 'before' | 'after'): void;
  /** How many calls there were since then. */
  calls(): number;
}

/** Puts a git before that of a search path which kills its caller at a call. */
export function deadlyGit(searchPath: string): DeadlyGit {
  const folder = mkdtempSync(path.join(tmpdir(), 'ralphd-deadly-git-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const at = (name: string) => path.join(folder, name);
  const script = `#!/bin/sh
PATH=${JSON.stringify(searchPath)}
cd_=${JSON.stringify(folder)}
count=$(($(cat "$cd_/count") + 1)); echo $count > "$cd_/count"
read -r call when < "$cd_/armed"
[ $count = $call ] || exec git "$@"
[ $when = before ] || git "$@" > /dev/null
kill -9 $PPID
`;
  writeFileSync(at('git'), script);
  chmodSync(at('git'), 0o755);
  return {
    searchPath: `${folder}:${searchPath}`,
    arm(call, when) {
      writeFileSync(at('armed'), `${call} ${when}\n`);
      writeFileSync(at('count'), '0\n');
    },
    calls: () => Number(readFileSync(at('count'), 'utf8')),
  };
}
