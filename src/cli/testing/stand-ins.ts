import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { onTestFinished } from 'vitest';

const message = (text: string) =>
  JSON.stringify({ type: 'assistant', message: { id: 'm', content: [{ type: 'text', text }] } });

/** Claude Code as far as a loop needs it: does the work and makes the promise that the prompt asks for. */
const claude = (work: string) => `case "$1" in --version) echo "2.1.150 (Claude Code)"; exit;; esac
promise=$(grep -o '<promise>[A-Z]*</promise>' | tail -n 1)
${work}
printf '%s\\n' '{"type":"system","subtype":"init","session_id":"s","model":"m"}'
printf '%s\\n' "${message('PROMISE').replaceAll('"', '\\"').replace('PROMISE', '$promise')}"
printf '%s\\n' "{\\"type\\":\\"result\\",\\"subtype\\":\\"success\\",\\"is_error\\":false,\\"result\\":\\"$promise\\",\\"session_id\\":\\"s\\"}"`;

/** The PATH of a machine with stand-ins for these programs; each passes once the file `done` is in the project. */
export function standInPath(programs: readonly string[], agents: readonly string[] = ['claude']): string {
  const passing = Object.fromEntries(programs.map((name) => [name, 'exec test -f "$PROJECT/done"']));
  return `${standInFolder(passing, agents)}:/usr/bin:/bin`;
}

/** A folder with stand-ins for programs, given by their shell lines, and for agents, which do the same work. */
export function standInFolder(
  programs: Readonly<Record<string, string>>,
  agents: readonly string[],
  work = 'touch done',
): string {
  const folder = mkdtempSync(path.join(tmpdir(), 'ralphd-programs-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  for (const [name, lines] of Object.entries(programs)) put(path.join(folder, name), lines);
  for (const name of agents) put(path.join(folder, name), claude(work));
  return folder;
}

/** Writes the files of a project; those in a folder \`bin\` can be executed. */
export function putFiles(folder: string, files: Readonly<Record<string, string>>): void {
  for (const [name, text] of Object.entries(files)) {
    const file = path.join(folder, name);
    mkdirSync(path.dirname(file), { recursive: true });
    writeFileSync(file, text);
    if (path.basename(path.dirname(file)) === 'bin') chmodSync(file, 0o755);
  }
}

function put(file: string, lines: string): void {
  writeFileSync(file, `#!/bin/sh\n${lines}\n`);
  chmodSync(file, 0o755);
}
