import { crc32 } from 'node:zlib';
import type { FleetWorld, Tick } from './world.ts';

/** What the oracle needs to see, written by triggers that know nothing of the functions under test. */
export const witnesses = `
create table ralphd.witness_epoch (loop text, epoch integer, machine text, at timestamptz not null default clock_timestamp());
create table ralphd.witness_stale (loop text, seq bigint, epoch integer, current integer);
create function ralphd.see_epoch() returns trigger language plpgsql as $$
begin
  if tg_op = 'INSERT' or new.epoch <> old.epoch then
    insert into ralphd.witness_epoch (loop, epoch, machine)
    values (new.id, new.epoch, (select machine from ralphd.worker where id = new.owner));
  end if;
  return new;
end $$;
create trigger see_epoch after insert or update on ralphd.loops for each row execute function ralphd.see_epoch();
create function ralphd.see_fact() returns trigger language plpgsql as $$
declare current integer := (select epoch from ralphd.loops where id = new."loop");
begin
  if current <> new.epoch then
    insert into ralphd.witness_stale values (new."loop", new.seq, new.epoch, current);
  end if;
  return new;
end $$;
create trigger see_fact after insert on ralphd.fact for each row execute function ralphd.see_fact();
`;

/** What a storm showed. */
export interface Verdict {
  readonly facts: number;
  readonly ticks: number;
  readonly takeovers: number;
  readonly staleFacts: number;
  readonly staleTicks: number;
  /** By how much an agent outlived its epoch at most, in seconds. */
  readonly latestTick: number;
  readonly violations: readonly string[];
}

interface FactRow {
  readonly loop: string;
  readonly seq: string;
  readonly epoch: number;
  readonly line: string;
}

/** Compares the tables with what the agents said. */
export async function judge(world: FleetWorld, ticks: readonly Tick[]): Promise<Verdict> {
  const facts = await world.query<FactRow>('select loop, seq, epoch, line from ralphd.fact order by loop, seq');
  const stale = await world.query<{ loop: string; seq: string }>('select * from ralphd.witness_stale');
  const epochs = await world.query<EpochRow>(
    'select loop, epoch, machine, extract(epoch from at)::float8 as at from ralphd.witness_epoch order by loop, epoch',
  );
  const outlived = staleTicks(ticks, facts, epochs);
  const violations = [
    ...stale.map(({ loop, seq }) => `${loop}: fact ${seq} of an owner that had lost the loop was accepted`),
    ...chainProblems(facts),
    ...unrecorded(ticks, facts),
    ...outlived.map(
      ({ tick, by }) => `${tick.loop}: process ${tick.pid} worked ${by.toFixed(2)} s after its epoch was over`,
    ),
  ];
  return {
    facts: facts.length,
    ticks: ticks.length,
    takeovers: epochs.filter(({ epoch }) => epoch > 1).length,
    staleFacts: stale.length,
    staleTicks: outlived.length,
    latestTick: Math.max(0, ...outlived.map(({ by }) => by)),
    violations,
  };
}

/** Every line is there once, follows the one before it by number and checksum, and epochs only rise. */
function chainProblems(facts: readonly FactRow[]): readonly string[] {
  const problems: string[] = [];
  let before: { loop: string; seq: number; crc: number; epoch: number } | undefined;
  for (const { loop, seq: text, epoch, line } of facts) {
    const seq = Number(text);
    const last = before?.loop === loop ? before : { loop, seq: 0, crc: 0, epoch: 0 };
    const body = Buffer.from(line).subarray(0, -19);
    const crc = crc32(body, last.crc);
    if (seq !== last.seq + 1) problems.push(`${loop}: fact ${last.seq + 1} is missing`);
    else if (!line.endsWith(`,"crc":"${crc.toString(16).padStart(8, '0')}"}\n`)) {
      problems.push(`${loop}: fact ${seq} does not follow fact ${last.seq}`);
    }
    if (epoch < last.epoch) problems.push(`${loop}: fact ${seq} is of an earlier epoch than the one before it`);
    before = { loop, seq, crc, epoch };
  }
  return problems;
}

/** An agent works only after the fact that begins its attempt was acknowledged: a lost one is seen by its ticks. */
function unrecorded(ticks: readonly Tick[], facts: readonly FactRow[]): readonly string[] {
  const begun = new Set(facts.filter(({ line }) => line.includes('"iteration.started"')).map(attemptIn));
  const missing = ticks.map(({ loop, iteration, attempt }) => `${loop} ${iteration}.${attempt}`);
  return [...new Set(missing)]
    .filter((key) => !begun.has(key))
    .map((key) => `${key}: an agent worked, but nothing is recorded of it`);
}

function attemptIn({ loop, line }: FactRow): string {
  const { data } = JSON.parse(line) as { readonly data: { readonly iteration: number; readonly attempt: number } };
  return `${loop} ${data.iteration}.${data.attempt}`;
}

/** Two clocks of one machine, read by two processes. */
const toleranceSeconds = 0.05;

interface EpochRow {
  readonly loop: string;
  readonly epoch: number;
  /** The folder of the worker that it was given to; null if it took the loop from a lost one. */
  readonly machine: string | null;
  readonly at: number;
}

/** Agents that worked after their loop was taken from the machine on which they were started. */
function staleTicks(
  ticks: readonly Tick[],
  facts: readonly FactRow[],
  epochs: readonly EpochRow[],
): readonly { readonly tick: Tick; readonly by: number }[] {
  const begunIn = startEpochs(facts);
  return ticks.flatMap((tick) => {
    const begun = begunIn.get(`${tick.loop} ${tick.iteration}.${tick.attempt}`);
    const own = epochs.filter(({ loop }) => loop === tick.loop);
    const home = own.find(({ epoch }) => epoch === begun)?.machine;
    const over = own.find(({ epoch, machine }) => begun !== undefined && epoch > begun && machine !== home);
    const by = over === undefined ? 0 : tick.at - over.at;
    return by > toleranceSeconds ? [{ tick, by }] : [];
  });
}

/** The epoch in which each attempt began. */
function startEpochs(facts: readonly FactRow[]): ReadonlyMap<string, number> {
  const begun = facts.filter(({ line }) => /"type":"(iteration|agent)\.started"/.test(line));
  return new Map(begun.map((fact) => [attemptIn(fact), fact.epoch]));
}
