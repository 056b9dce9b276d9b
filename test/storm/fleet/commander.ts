import { randomUUID } from 'node:crypto';
import { openFleet } from '../../../src/fleet/index.ts';
import type { FleetWorker, FleetWorld } from './world.ts';

/** A command that was sent, and where its answer is, as soon as somebody was told. */
export interface SentCommand {
  readonly loop: string;
  readonly id: string;
  answerSeq?: number;
}

/** Sends commands to loops all the time, and notes what it is told: what was acknowledged must be there at the end. */
export interface Commander extends AsyncDisposable {
  /** Sends no more, waits for the answers that are missing, and returns all. */
  finish(): Promise<readonly SentCommand[]>;
  readonly requeued: number;
  /** How many loops a worker drove a moment ago. */
  loopsOf(worker: FleetWorker): number;
}

const everyMs = 400;
const patienceMs = 60_000;

/** Begins to send. */
export function listenToCommands(world: FleetWorld): Commander {
  const fleet = openFleet(world.url, { connections: 1 });
  const sent: SentCommand[] = [];
  const over = new AbortController();
  let requeued = 0;
  let owners: ReadonlyMap<string, number> = new Map();
  const turn = async () => {
    const { loops } = await fleet.status({ signal: over.signal });
    for (const { id, status } of loops) if (status === 'held' && (await fleet.requeue(id))) requeued += 1;
    const loop = loops[sent.length % loops.length];
    if (loop === undefined) return;
    const command = { loop: loop.id, id: randomUUID() };
    const body = JSON.stringify({ id: command.id, command: 'guide', text: `Mind ${sent.length}.` });
    await fleet.send(command.loop, command.id, body, { signal: over.signal });
    sent.push(command);
  };
  const look = async () => {
    const rows = await world.query<{ machine: string; loops: number }>(
      'select w.machine, count(*)::integer as loops from ralphd.loops l join ralphd.worker w on w.id = l.owner group by 1',
    );
    owners = new Map(rows.map(({ machine, loops }) => [machine, loops]));
  };
  const ask = async () => {
    const open = sent.filter(({ answerSeq }) => answerSeq === undefined);
    const rows = await world.query<{ id: string; answer_seq: string }>(
      'select id, answer_seq from ralphd.command where answer_seq is not null and id = any ($1)',
      [open.map(({ id }) => id)],
    );
    const answers = new Map(rows.map(({ id, answer_seq: seq }) => [id, Number(seq)]));
    for (const command of open) {
      const answerSeq = answers.get(command.id);
      if (answerSeq !== undefined) command.answerSeq = answerSeq;
    }
    return open.length > rows.length;
  };
  const sending = (async () => {
    while (!over.signal.aborted) {
      await turn().catch((error: unknown) => {
        if (!over.signal.aborted) throw error;
      });
      await ask();
      await look();
      await new Promise((resolve) => setTimeout(resolve, everyMs));
    }
  })();
  return {
    get requeued() {
      return requeued;
    },
    loopsOf: (worker) => owners.get(worker.machine() ?? '') ?? 0,
    async finish() {
      over.abort();
      await sending;
      const deadline = performance.now() + patienceMs;
      while ((await ask()) && performance.now() < deadline) await new Promise((resolve) => setTimeout(resolve, 200));
      return sent;
    },
    async [Symbol.asyncDispose]() {
      over.abort();
      await sending.catch(() => {});
      await fleet[Symbol.asyncDispose]();
    },
  };
}
