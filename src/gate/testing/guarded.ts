import { chmodSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { onTestFinished } from 'vitest';
import { guardId } from '../../core/index.ts';
import { configSchema } from '../../protocol/index.ts';
import { changedGuards } from '../guards/guards.ts';
import { guardPlace, guardsOf } from '../guards/plan-guards.ts';

/** File contents by name. */
export type Files = Readonly<Record<string, string>>;

/** A project and its guards for one check. A text that begins with `@` makes a link; programs become executable. */
export function guarded(files: Files, check: string, variables: NodeJS.ProcessEnv = {}) {
  const folder = mkdtempSync(path.join(tmpdir(), 'ralphd guards '));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const write = (name: string, text: string) => {
    mkdirSync(path.dirname(path.join(folder, name)), { recursive: true });
    if (text.startsWith('@')) return symlinkSync(path.join(folder, text.slice(1)), path.join(folder, name));
    writeFileSync(path.join(folder, name), text);
    if (name.includes('bin/') || text.startsWith('#!')) chmodSync(path.join(folder, name), 0o755);
  };
  for (const [name, text] of Object.entries(files)) write(name, text);
  const place = {
    workingDirectory: folder,
    env: { PATH: '/usr/bin:/bin', HOME: path.join(folder, 'home'), ...variables },
  };
  const { guards = [] } = guardsOf(configSchema.parse({}), [check], place);
  const look = (kind: 'tampered' | 'doubt') =>
    changedGuards(guards, guardPlace(place)).filter((change) => change.kind === kind);
  const changed = () => [...new Set(look('tampered').map(({ name }) => name))];
  const doubts = () => [...new Set(look('doubt').map(({ name }) => name))].filter((name) => !changed().includes(name));
  return { write, folder, paths: guards.map(guardId), changed, doubts };
}

/** A package.json with these scripts. */
export const scripts = (texts: Files) => JSON.stringify({ scripts: texts });
