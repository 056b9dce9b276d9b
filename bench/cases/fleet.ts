import { randomUUID } from 'node:crypto';
import { closeSync, fdatasyncSync, mkdtempSync, openSync, readdirSync, readFileSync, rmSync, writeSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { createFleetCommandBus } from '../../src/app/fleet/fleet-command-bus.ts';
import { createFleetEventBus } from '../../src/app/fleet/fleet-event-bus.ts';
import { fireSchedules } from '../../src/app/fleet/schedules.ts';
import { type Fleet, openFleet } from '../../src/fleet/index.ts';
import { createFleetWorld, type FleetWorld } from '../../test/storm/fleet/world.ts';
import type { BenchCase } from '../case.ts';

const appends = 200;
const waitingLoops = 1_000;
const claims = 200;
const workers = 50;
const seconds = 15;
const commands = 40;
const line = `${JSON.stringify({ type: 'iteration.started', data: { text: 'x'.repeat(300), iteration: 1 } })}\n`;

/** A fleet on a PostgreSQL of its own, which syncs what it confirms. */
export const cases: readonly BenchCase[] = [
  {
    name: `append ${appends} facts to a loop of a fleet`,
    against: 'write + fdatasync',
    unit: 'ms',
    budget: { times: 4 },
    runs: 10,
    floor: async () => await timed(appends, bareAppend),
    subject: async () => await timed(appends, await fleetAppend()),
  },
  {
    name: `${claims} claims with ${waitingLoops.toLocaleString('en')} loops queued`,
    against: '200 a second',
    unit: 'ms',
    budget: { times: 1 },
    runs: 3,
    warmUps: 0,
    floor: async () => (claims / 200) * 1_000,
    subject: claimMany,
  },
  {
    name: 'a command of a fleet, sent to answered durably, 95th percentile',
    against: 'a quarter of a second',
    unit: 'ms',
    budget: { times: 1 },
    runs: 1,
    warmUps: 0,
    floor: async () => 250,
    subject: answerTime,
  },
  {
    name: 'statements a second of an idle worker',
    against: 'five',
    unit: '',
    budget: { times: 1 },
    runs: 1,
    warmUps: 0,
    floor: async () => 5,
    subject: idleStatements,
  },
  {
    name: `database CPU a second with ${waitingLoops.toLocaleString('en')} waiting loops and ${workers} workers`,
    against: 'a twentieth of a core',
    unit: 'ms',
    budget: { times: 1 },
    runs: 1,
    warmUps: 0,
    floor: async () => 50,
    subject: databaseCpu,
  },
];

// A sync costs nothing in memory, and what it is compared with would be another thing.
const disk = path.resolve(import.meta.dirname, '..');
let made: Promise<FleetWorld> | undefined;
let opened: Fleet | undefined;

/** Made by the first case that runs, and left to the end of this process. */
async function world(): Promise<FleetWorld> {
  const make = async () => {
    const folder = mkdtempSync(path.join(os.tmpdir(), 'ralphd-bench-fleet-'));
    process.on('exit', () => {
      for (const each of [folder, `${folder}-postgres`]) rmSync(each, { recursive: true, force: true });
    });
    return await createFleetWorld(folder, { workers: 1, capacity: 2 });
  };
  made ??= make();
  return await made;
}

async function fleet(): Promise<Fleet> {
  opened ??= openFleet((await world()).url, { connections: 4 });
  return opened;
}

const note = {
  machine: 'm',
  host: 'h',
  bootId: 'b',
  pid: 1,
  startTime: '1',
  version: '0',
  agents: ['claude'],
  labels: [],
};

async function submit(id: string): Promise<void> {
  const plain = {
    request: '{}',
    title: id,
    priority: 0,
    byPerson: true,
    agent: 'claude',
    labels: [],
    submittedBy: 'bench',
  };
  await (await fleet()).submit({ id, ...plain, repository: 'https://git.example.org/team/tool.git' });
}

/** A loop that a worker of ours owns. */
async function ownedLoop() {
  const id = randomUUID();
  const own = await fleet();
  await own.join({ ...note, id, machine: id, capacity: 1 });
  await own.found(id, id);
  let after = 0;
  return async () => {
    const batch = { loopId: id, epoch: 1, after, id: String(after), lines: [line], types: ['iteration.started'] };
    const { outcome } = await own.append(batch);
    if (outcome !== 'written') throw new Error(outcome);
    after += 1;
  };
}

let append: ReturnType<typeof ownedLoop> | undefined;

async function fleetAppend() {
  append ??= ownedLoop();
  return await append;
}

let bare: number | undefined;

async function bareAppend(): Promise<void> {
  if (bare === undefined) {
    const file = path.join(mkdtempSync(path.join(disk, 'ralphd-bench-fleet-')), 'bare');
    const descriptor = openSync(file, 'a');
    process.on('exit', () => {
      closeSync(descriptor);
      rmSync(path.dirname(file), { recursive: true, force: true });
    });
    bare = descriptor;
  }
  writeSync(bare, line);
  fdatasyncSync(bare);
}

/** Three workers at once, as in a fleet. */
async function claimMany(): Promise<number> {
  const { query } = await world();
  const own = await fleet();
  await empty();
  for (let number = 0; number < waitingLoops; number += 1) await submit(`queued-${number}`);
  await query('analyze ralphd.loops');
  const names = ['one', 'two', 'three'].map((name) => `${name}-${randomUUID()}`);
  for (const id of names) await own.join({ ...note, id, machine: id, capacity: waitingLoops });
  let left = claims;
  const startedAt = performance.now();
  await Promise.all(
    names.map(async (name) => {
      while (left > 0) {
        left -= 1;
        if ((await own.claim(name, false)) === undefined) throw new Error('nothing to claim');
      }
    }),
  );
  return performance.now() - startedAt;
}

async function empty(): Promise<void> {
  await (await world()).query('truncate ralphd.worker, ralphd.account, ralphd.loops cascade');
}

/** A real worker drives a real loop; commands come one after the other. */
async function answerTime(): Promise<number> {
  const {
    ralphd,
    folder,
    query,
    workers: [worker],
  } = await world();
  await empty();
  const bounds = ['-n', '100000', '--delay', '200ms', '--no-baseline', '--loop-id', 'answers'];
  const where = ['--repo', path.join(folder, 'shared.git'), '--ref', 'main'];
  ralphd(['submit', 'Answer', '--agent-command', './agent.pl', '--verify', 'false', ...bounds, ...where]);
  worker?.start();
  const own = await fleet();
  let id: string | undefined;
  while (id === undefined) {
    await pause(200);
    const rows = await query<{ loop: string }>("select loop from ralphd.fact where type = 'agent.started' limit 1");
    id = rows[0]?.loop;
  }
  const bus = createFleetCommandBus(own, createFleetEventBus(own));
  const times: number[] = [];
  for (let number = 0; number < commands; number += 1) {
    const startedAt = performance.now();
    const { accepted } = await bus.send(id, { id: randomUUID(), command: 'guide', text: `number ${number}` });
    if (!accepted) throw new Error('a command was refused');
    times.push(performance.now() - startedAt);
  }
  await worker?.end();
  return times.toSorted((one, other) => one - other)[Math.ceil(commands * 0.95) - 1] ?? Number.NaN;
}

async function idleStatements(): Promise<number> {
  const {
    workers: [worker],
  } = await world();
  await empty();
  worker?.start();
  await pause(5_000);
  const [before, startedAt] = [await statements(), performance.now()];
  await pause(seconds * 1_000);
  const during = (await statements()) - before;
  const passed = (performance.now() - startedAt) / 1_000;
  await worker?.end();
  return during / passed;
}

/** Every statement of ours is a transaction of its own; this question is one too. */
async function statements(): Promise<number> {
  const { query } = await world();
  const rows = await query<{ calls: string }>(
    'select xact_commit as calls from pg_stat_database where datname = current_database()',
  );
  return Number(rows[0]?.calls ?? 0);
}

/** The workers do what idle ones do, at the same pace, from this process. */
async function databaseCpu(): Promise<number> {
  const { server, url, query } = await world();
  await empty();
  for (let number = 0; number < waitingLoops; number += 1) await submit(`waiting-${number}`);
  await query("update ralphd.loops set wake_at = now() + interval '1 hour', seq = 5");
  await query('vacuum analyze ralphd.loops');
  const over = new AbortController();
  const crew = Array.from({ length: workers }, async (_, index) => {
    await pause(index * 20);
    await idle(url, `idle-${index}`, over.signal);
  });
  await pause(5_000);
  const main = server?.pid() ?? 0;
  const [before, startedAt] = [cpuMs(main), performance.now()];
  await pause(seconds * 1_000);
  const used = cpuMs(main) - before;
  const passed = (performance.now() - startedAt) / 1_000;
  over.abort();
  await Promise.all(crew);
  return used / passed;
}

async function idle(url: string, id: string, signal: AbortSignal): Promise<void> {
  await using life = openFleet(url, { connections: 2 });
  await life.join({ ...note, id, machine: id, capacity: 20, trust: ['https://git.example.org/team/'] });
  const repeat = async (everyMs: number, step: () => Promise<unknown>) => {
    while (!signal.aborted) {
      await step();
      await pause(everyMs);
    }
  };
  await Promise.all([
    repeat(1_500, async () => await life.beat(id, false)),
    repeat(500, async () => await life.look()),
    repeat(1_000, async () => await life.claim(id, false)),
    repeat(5_000, async () => await fireSchedules(life, {})),
  ]);
}

const tickMs = 10;

/** What a server and all its processes have used, also those that are gone. */
function cpuMs(main: number): number {
  const stats = readdirSync('/proc').flatMap((name) => {
    if (!/^\d+$/.test(name)) return [];
    try {
      const [, rest = ''] = readFileSync(`/proc/${name}/stat`, 'utf8').split(/\) /);
      const fields = rest.split(' ');
      const isOurs = Number(name) === main || Number(fields[1]) === main;
      if (!isOurs) return [];
      const [user = 0, system = 0, goneUser = 0, goneSystem = 0] = fields.slice(11, 15).map(Number);
      return [user + system + (Number(name) === main ? goneUser + goneSystem : 0)];
    } catch {
      return [];
    }
  });
  return stats.reduce((sum, ticks) => sum + ticks, 0) * tickMs;
}

async function timed(times: number, step: () => Promise<void>): Promise<number> {
  const startedAt = performance.now();
  for (let index = 0; index < times; index += 1) await step();
  return performance.now() - startedAt;
}
