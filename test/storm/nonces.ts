import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { createRandom } from '../simulation/random.ts';

/** Where writers are killed, how many appends there must be, and with which seed. */
export interface NonceStorm {
  readonly folder: string;
  readonly appends: number;
  /** How many facts a writer records on average before it is killed. */
  readonly perWriter: number;
  readonly seed: number;
}

/** What was found on the disk. */
export interface NonceReport {
  /** Frames in journals; each is one append. */
  readonly appends: number;
  /** Frames in all files. */
  readonly frames: number;
  readonly keys: number;
  readonly killed: number;
  readonly restored: number;
  /** Pairs of a key and a nonce that encrypted two different texts. */
  readonly repeated: readonly string[];
}

const loopId = 'ralph-storm-00000001';

/**
 * Kills real processes while they write to an encrypted loop, at arbitrary moments, and sometimes puts an older copy of the loop
 * back, as somebody does who restores a backup: at least once. No key may encrypt two texts with one nonce, in any of these histories.
 */
export async function stormNonces({ folder, appends, perWriter, seed }: NonceStorm): Promise<NonceReport> {
  const random = createRandom(seed);
  const [live, copy] = ['live', 'copy'].map((name) => path.join(folder, name)) as [string, string];
  mkdirSync(live, { recursive: true });
  const seen = new SeenFrames();
  let [killed, restored] = [0, 0];
  while (seen.appends < appends || restored === 0) {
    await writeUntilKilled(live, random.int(1, 2 * perWriter));
    killed += 1;
    seen.scan(live);
    if (existsSync(copy) && random.chance(0.3)) {
      restored += 1;
      // Sometimes the copy outside the work tree is newer than what is put back.
      const what = random.pick(['', 'state']);
      rmSync(path.join(live, what), { recursive: true });
      cpSync(path.join(copy, what), path.join(live, what), { recursive: true });
    } else if (random.chance(0.4)) {
      rmSync(copy, { recursive: true, force: true });
      cpSync(live, copy, { recursive: true });
    }
  }
  return { ...seen.report(), killed, restored };
}

/** Starts a writer and kills it some time after it has recorded so many facts. */
async function writeUntilKilled(folder: string, facts: number): Promise<void> {
  const program = path.join(import.meta.dirname, 'nonce-writer.ts');
  const args = [program, path.join(folder, 'state'), path.join(folder, 'mirror'), loopId];
  const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'] });
  const ended = once(child, 'exit') as Promise<[number | null, NodeJS.Signals | null]>;
  for await (const line of createInterface(child.stdout)) if (Number(line) >= facts) child.kill('SIGKILL');
  const [code, signal] = await ended;
  if (signal !== 'SIGKILL') throw new Error(`A writer ended by itself with code ${code}.`);
}

/** Every frame that was ever found, by its key and its nonce. */
class SeenFrames {
  appends = 0;
  #frames = 0;
  readonly #boxes = new Map<string, Map<number, string>>();
  readonly #scanned = new Set<string>();
  readonly #repeated: string[] = [];

  /** Looks at all files below a folder that were not looked at before. */
  scan(folder: string): void {
    for (const entry of readdirSync(folder, { recursive: true, withFileTypes: true })) {
      const file = path.join(entry.parentPath, entry.name);
      if (!entry.isFile() || entry.name === 'lock') continue;
      const { ino, size, mtimeMs } = statSync(file);
      const version = `${file} ${ino} ${size} ${mtimeMs}`;
      if (this.#scanned.has(version)) continue;
      this.#scanned.add(version);
      this.#read(readFileSync(file, 'latin1'));
    }
  }

  report(): Pick<NonceReport, 'appends' | 'frames' | 'keys' | 'repeated'> {
    return { appends: this.appends, frames: this.#frames, keys: this.#boxes.size, repeated: this.#repeated };
  }

  // The key of a file follows from the key of the loop and what the first line says: loop, name and salt.
  #read(text: string): void {
    const [header = '', , ...frames] = text.split('\n');
    if (!header.startsWith('{"ralphd":"sealed"')) return;
    const isJournal = header.includes('"name":"journal/');
    const boxes = this.#boxes.get(header) ?? new Map<number, string>();
    this.#boxes.set(header, boxes);
    for (const frame of frames) {
      // A frame that was cut off is left out.
      const [, n, place, box] = /^\{"n":(\d+),("at":\d+,"len":\d+),"box":"([^"]+)"\}$/.exec(frame) ?? [];
      if (n === undefined || place === undefined || box === undefined) continue;
      // The end of a box is its tag, which depends on every bit of the text.
      const found = `${place} ${box.slice(-22)}`;
      const known = boxes.get(Number(n));
      if (known === undefined) {
        boxes.set(Number(n), found);
        this.#frames += 1;
        if (isJournal) this.appends += 1;
      } else if (known !== found) this.#repeated.push(`${header}, nonce ${n}`);
    }
  }
}
