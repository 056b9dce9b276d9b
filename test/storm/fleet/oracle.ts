import { crc32 } from 'node:zlib';
import type { SentCommand } from './commander.ts';
import { type EpochRow, type Takeover, takeoversIn } from './takeovers.ts';
import type { FleetWorld, Tick } from './world.ts';

/** What the oracle needs to see, written by triggers that know nothing of the functions under test. */
export const witnesses = `
create table ralphd.witness_epoch (
  loop text, epoch integer, machine text, tick bigint, heard bigint, heard_at timestamptz, at timestamptz not null default clock_timestamp());
create table ralphd.witness_broken (what text);
create function ralphd.see_epoch() returns trigger language plpgsql as $$
begin
  if tg_op = 'INSERT' or new.epoch <> old.epoch then
    insert into ralphd.witness_epoch (loop, epoch, machine, tick, heard, heard_at)
    values (new.id, new.epoch, (select machine from ralphd.worker where id = new.owner), (select tick from ralphd.clock),
      case when tg_op = 'UPDATE' then (select tick from ralphd.worker where id = old.owner) end,
      case when tg_op = 'UPDATE' then (select beat_at from ralphd.worker where id = old.owner) end);
  end if;
  if tg_op = 'UPDATE' and new.epoch <> old.epoch then
    insert into ralphd.witness_broken
    select old.id || ': taken from a worker that was heard ' || c.tick - w.tick || ' ticks ago'
    from ralphd.worker w, ralphd.clock c where w.id = old.owner and c.tick - w.tick < 18
      and w.machine is distinct from (select machine from ralphd.worker where id = new.owner);
  end if;
  return new;
end $$;
create trigger see_epoch after insert or update on ralphd.loops for each row execute function ralphd.see_epoch();
create function ralphd.see_fact() returns trigger language plpgsql as $$
begin
  insert into ralphd.witness_broken
  select new."loop" || ': fact ' || new.seq || ' of an owner that had lost the loop was accepted'
  from ralphd.loops where id = new."loop" and (epoch <> new.epoch or owner is null);
  return new;
end $$;
create trigger see_fact after insert on ralphd.fact for each row execute function ralphd.see_fact();
`;

/** Whoever runs statements. */
interface Asked {
  query(text: string): Promise<readonly unknown[] | { readonly rows: readonly unknown[] }>;
}

/** What the triggers saw that must not happen. */
export async function seenBy(asked: Asked): Promise<readonly string[]> {
  const found = await asked.query('select what from ralphd.witness_broken');
  return (('rows' in found ? found.rows : found) as { readonly what: string }[]).map(({ what }) => what);
}

/** What a storm showed. */
export interface Verdict {
  readonly facts: number;
  readonly ticks: number;
  readonly commands: number;
  readonly epochs: number;
  readonly takeovers: number;
  /** What the triggers saw: facts of lost owners, loops taken from living ones. */
  readonly broken: number;
  readonly staleTicks: number;
  /** By how much an agent outlived its epoch at most, in seconds. */
  readonly latestTick: number;
  /** The most ticks of the fleet's clock from the last sign of a lost owner to the next owner. */
  readonly slowestTicks: number;
  readonly pace: Readonly<Record<'quiet' | 'withDatabaseFaults', Pace>>;
  readonly violations: readonly string[];
}

/** How long takeovers took, in seconds since the last sign of life of the owner before. */
interface Pace {
  readonly count: number;
  readonly median: number;
  readonly slowest: number;
  /** Without the time for which the database was down. */
  readonly slowestOfItsOwn: number;
}

interface FactRow {
  readonly loop: string;
  readonly seq: string;
  readonly epoch: number;
  readonly line: string;
}

/** Compares the tables with what the agents and the senders of commands know. */
export async function judge(world: FleetWorld, commands: readonly SentCommand[]): Promise<Verdict> {
  const facts = await world.query<FactRow>('select loop, seq, epoch, line from ralphd.fact order by loop, seq');
  const seen = await seenBy(world);
  const epochs = await world.query<EpochRow>(
    `select loop, epoch, machine, tick::float8, heard::float8,
      extract(epoch from heard_at)::float8 as "heardAt", extract(epoch from at)::float8 as at
    from ralphd.witness_epoch order by loop, at, epoch`,
  );
  const ticks = world.ticks();
  const outlived = staleTicks(ticks, facts, epochs);
  const takeovers = takeoversIn(epochs, world);
  const violations = [
    ...seen,
    ...chainProblems(facts),
    ...epochProblems(epochs),
    ...unrecorded(ticks, facts),
    ...unanswered(commands, facts),
    ...outlived.map(
      ({ tick, by }) => `${tick.loop}: process ${tick.pid} worked ${by.toFixed(2)} s after its epoch was over`,
    ),
    ...takeovers.filter(({ ticks: count }) => count > mostTicks).map(inWords),
  ];
  return {
    facts: facts.length,
    ticks: ticks.length,
    commands: commands.length,
    epochs: epochs.length,
    takeovers: takeovers.length,
    broken: seen.length,
    staleTicks: outlived.length,
    latestTick: Math.max(0, ...outlived.map(({ by }) => by)),
    slowestTicks: Math.max(0, ...takeovers.map(({ ticks: count }) => count)),
    pace: {
      quiet: paceOf(takeovers.filter(({ isJudged, down }) => isJudged && down === 0)),
      withDatabaseFaults: paceOf(takeovers.filter(({ isJudged, down }) => isJudged && down > 0)),
    },
    violations,
  };
}

/** 18 until an owner is lost, and what a look, a claim and a slow machine add. */
const mostTicks = 26;

function inWords({ loop, epoch, ticks, seconds }: Takeover): string {
  return `${loop}: epoch ${epoch} began ${ticks} ticks (${seconds.toFixed(1)} s) after the last sign of the owner before`;
}

function paceOf(takeovers: readonly Takeover[]): Pace {
  const rounded = (value: number | undefined) => Math.round((value ?? 0) * 10) / 10;
  const seconds = takeovers.map((each) => each.seconds).toSorted((one, other) => one - other);
  return {
    count: seconds.length,
    median: rounded(seconds[Math.floor(seconds.length / 2)]),
    slowest: rounded(seconds.at(-1)),
    slowestOfItsOwn: rounded(Math.max(0, ...takeovers.map((each) => each.seconds - each.down))),
  };
}

/** Whoever owns a loop has an epoch that nobody had before. */
function epochProblems(epochs: readonly EpochRow[]): readonly string[] {
  return epochs.flatMap(({ loop, epoch }, index) => {
    const before = epochs[index - 1];
    return before?.loop !== loop || epoch > before.epoch ? [] : [`${loop}: epoch ${epoch} follows ${before.epoch}`];
  });
}

/** Every command is answered by one fact, and an answer that somebody saw is still there. */
function unanswered(commands: readonly SentCommand[], facts: readonly FactRow[]): readonly string[] {
  const answers = new Map<string, number[]>();
  for (const { line, seq } of facts) {
    const [, id] = /"type":"command\.(?:accepted|refused)","data":\{"id":"([^"]*)"/.exec(line) ?? [];
    if (id !== undefined) answers.set(id, [...(answers.get(id) ?? []), Number(seq)]);
  }
  return commands.flatMap(({ loop, id, answerSeq }) => {
    const seqs = answers.get(id) ?? [];
    if (seqs.length !== 1) return [`${loop}: command ${id} was answered ${seqs.length} times`];
    if (answerSeq === undefined) return [`${loop}: the answer to command ${id} was not given`];
    return answerSeq >= (seqs[0] ?? Infinity) ? [] : [`${loop}: command ${id} was answered before its fact`];
  });
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
