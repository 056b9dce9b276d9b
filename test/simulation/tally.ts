import type { FactData, RecordedFact } from '../../src/protocol/index.ts';
import { loopSeed } from './random.ts';
import { type SimulatedLoop, simulateLoop } from './simulate.ts';
import { everyPlaced, type Placed } from './world/conditions.ts';

/** A loop in which something went wrong. */
export interface Finding {
  readonly seed: number;
  readonly rule: string;
  readonly detail: string;
}

/** What a whole simulation covered. */
export interface Tally {
  loops: number;
  facts: number;
  crashes: number;
  /** How often each `status/reason` was reached, pauses included. */
  readonly ends: Map<string, number>;
  readonly commands: Map<string, number>;
  readonly waits: Map<string, number>;
  /** How often a session was replaced for each cause, a run ended at the redline, and an agent told that it only explores. */
  readonly sessions: Map<string, number>;
  /** How often the hooks of each step returned each result. */
  readonly hooks: Map<string, number>;
  /** How often each verdict of the gate occurred, and how often the user accepted the changed checks. */
  readonly gates: Map<string, number>;
  /** How often each kind of condition was observed with each result. */
  readonly looks: Map<string, number>;
  /** How often each kind of condition, by set, ended a loop or triggered the gate. */
  readonly conditions: Map<string, number>;
  readonly findings: Finding[];
}

/** How many loops to simulate, from which seed, and which share of them. */
export interface TallyOptions {
  readonly loops: number;
  readonly masterSeed: number;
  /** Simulates every nth loop, from one of the first n, so that several processes can share the work. */
  readonly share?: { readonly first: number; readonly of: number };
}

export async function simulateMany({ loops, masterSeed, share = wholeShare }: TallyOptions): Promise<Tally> {
  const tally = emptyTally();
  for (let index = share.first; index < loops; index += share.of) {
    count(tally, await simulateLoop({ seed: loopSeed(masterSeed, index) }));
  }
  return tally;
}

const wholeShare = { first: 0, of: 1 };

function emptyTally(): Tally {
  return {
    loops: 0,
    facts: 0,
    crashes: 0,
    ends: new Map(),
    commands: new Map(),
    waits: new Map(),
    sessions: new Map(),
    hooks: new Map(),
    gates: new Map(),
    looks: new Map(),
    conditions: new Map(),
    findings: [],
  };
}

/** The combined coverage of several simulations. */
export function addTallies(tallies: readonly Tally[]): Tally {
  const sum = emptyTally();
  for (const tally of tallies) {
    sum.loops += tally.loops;
    sum.facts += tally.facts;
    sum.crashes += tally.crashes;
    sum.findings.push(...tally.findings);
    for (const name of counted) for (const [key, times] of tally[name]) bump(sum[name], key, times);
  }
  return sum;
}

const counted = ['ends', 'commands', 'waits', 'sessions', 'hooks', 'gates', 'looks', 'conditions'] as const;

function count(tally: Tally, { seed, world, violation }: SimulatedLoop): void {
  tally.loops += 1;
  tally.facts += world.disk.length;
  tally.crashes += world.crashCount;
  const placed = everyPlaced(world.setting.config);
  for (const fact of world.disk) {
    countFact(tally, fact);
    countConditions(tally, fact, placed);
  }
  if (violation !== undefined) tally.findings.push({ seed, ...violation });
}

function countFact({ ends, commands, waits, sessions, hooks, gates }: Tally, { type, data }: RecordedFact): void {
  switch (type) {
    case 'loop.paused':
      return bump(ends, `paused/${data.reason}`);
    case 'loop.ended':
      return bump(ends, `${data.status}/${data.reason}`);
    case 'command.accepted':
      return bump(commands, data.command);
    case 'command.refused':
      return bump(commands, 'refused');
    case 'wait.scheduled':
      return bump(waits, data.cause);
    case 'reboot.started':
      return bump(sessions, data.cause);
    case 'agent.finished':
      return data.ending.kind === 'stopped' && data.ending.by === 'redline' ? bump(sessions, 'cut') : undefined;
    case 'iteration.started':
      return data.correction === undefined ? undefined : bump(sessions, 'correction');
    case 'hooks.finished':
    case 'loop_hooks.finished':
      return bump(hooks, `${data.point}/${whatTheySaid(data)}`);
    case 'gate.finished':
      return bump(gates, nameOfGate(data));
    case 'baseline.finished':
      return bump(gates, `baseline/${data.verdict}`);
    case 'gate.accepted':
      return bump(gates, 'accepted');
    default:
  }
}

function nameOfGate({ tampered, obstacle, verdict, changedFiles }: FactData<'gate.finished'>): string {
  if (tampered !== undefined) return 'tampered';
  if (obstacle !== undefined) return 'obstacle';
  return verdict === 'passed' && changedFiles === 0 ? 'unchanged' : verdict;
}

function countConditions({ looks, conditions }: Tally, { type, data }: RecordedFact, placed: readonly Placed[]): void {
  const find = (key: string) => placed.find((each) => each.key === key);
  if (type === 'conditions.observed') {
    for (const { key, met } of data.results) bump(looks, `${find(key)?.condition.type}/${met}`);
  }
  if (type === 'gate.started' && data.conditions !== undefined) bump(conditions, 'success/gate');
  if (type !== 'stop_rule.triggered' || data.condition === undefined) return;
  const { set, condition } = find(data.condition) ?? {};
  bump(conditions, `${set}/${condition?.type}`);
}

function whatTheySaid({ stop, results }: Pick<FactData<'hooks.finished'>, 'stop' | 'results'>): string {
  if (stop !== undefined) return 'stop';
  if (results.some(({ fatal }) => fatal)) return 'fatal';
  return results.every(({ ok }) => ok) ? 'ok' : 'failed';
}

function bump(counts: Map<string, number>, key: string, times = 1): void {
  counts.set(key, (counts.get(key) ?? 0) + times);
}
