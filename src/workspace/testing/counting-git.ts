import { chmodSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { onTestFinished } from 'vitest';

/** A git that keeps count of its calls. */
export interface CountingGit {
  /** A search path on which it comes first. */
  readonly searchPath: string;
  /** The subcommands since the last call, in the order in which they started. */
  calls(): readonly string[];
}

/** Puts a counter before the git of a search path. */
export function countingGit(searchPath: string): CountingGit {
  const folder = mkdtempSync(path.join(tmpdir(), 'ralphd-counting-git-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const log = path.join(folder, 'log');
  const program = path.join(folder, 'git');
  writeFileSync(log, '');
  // Without the options that every call has, the subcommand comes first.
  const script = [
    '#!/bin/sh',
    `PATH=${quote(searchPath)}`,
    'for word; do case $word in',
    '  -c | --no-pager | *.*=*) ;;',
    `  *) echo "$word" >> ${quote(log)}; break ;;`,
    'esac; done',
    'exec git "$@"',
  ];
  writeFileSync(program, `${script.join('\n')}\n`);
  chmodSync(program, 0o755);
  return {
    searchPath: `${folder}:${searchPath}`,
    calls() {
      const words = readFileSync(log, 'utf8').split('\n').slice(0, -1);
      writeFileSync(log, '');
      return words;
    },
  };
}

function quote(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`;
}
