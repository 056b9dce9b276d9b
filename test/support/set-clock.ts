import { existsSync, readdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import type { Project } from './project.ts';

/** The library that gives a program a fake clock; `tools/system-packages.sh` installs it. */
export const fakeTime = findLibrary();

/** A wall clock that can be set while programs run. */
export interface SetClock {
  /** The environment that makes a program use it. */
  readonly env: NodeJS.ProcessEnv;
  /** Sets it to an offset from the real time, such as `-1h`; the monotonic clock is not affected. */
  set(offset: string): void;
}

/** A clock for the programs of a project; starts at the real time. */
export function createSetClock(project: Project): SetClock {
  return clockIn(path.dirname(project.folder));
}

/** A clock whose file is in a folder; starts at the real time. */
export function clockIn(folder: string): SetClock {
  const file = path.join(folder, 'clock');
  const set = (offset: string) => writeFileSync(file, `${offset}\n`);
  set('+0s');
  return {
    set,
    env: {
      LD_PRELOAD: fakeTime,
      FAKETIME_TIMESTAMP_FILE: file,
      FAKETIME_NO_CACHE: '1',
      FAKETIME_DONT_FAKE_MONOTONIC: '1',
    },
  };
}

function findLibrary(): string | undefined {
  if (!existsSync('/usr/lib')) return undefined;
  const folders = readdirSync('/usr/lib').map((name) => path.join('/usr/lib', name, 'faketime'));
  return folders.map((folder) => path.join(folder, 'libfaketime.so.1')).find((file) => existsSync(file));
}
