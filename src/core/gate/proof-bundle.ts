import {
  type Check,
  type CheckCommand,
  type FactData,
  type ProofBundle,
  proofFormat,
  type RecordedFact,
  type TestCounts,
} from '../../protocol/index.ts';
import type { Loop } from '../state/loop.ts';
import { describeDoubts } from './doubt-words.ts';
import { warningsOf } from './doubts.ts';
import { proofLevelOf } from './verdict.ts';

interface ProofInput {
  readonly loop: Loop;
  /** Every fact of the journal, oldest first. */
  readonly facts: readonly RecordedFact[];
  /** The checksum of each journal line, by sequence number. */
  readonly crcs: ReadonlyMap<number, string>;
  readonly journal: Pick<ProofBundle['journal'], 'segments' | 'end'>;
  /** What the journal does not contain. */
  readonly circumstances: Pick<ProofBundle, 'createdAt' | 'environment'> &
    Pick<ProofBundle['proof'], 'folder' | 'commit'>;
}

/** A proof without its digest. */
export type UnsignedProof = Omit<ProofBundle, 'digest'>;

/** Builds the proof of a completed loop; undefined for a loop that was not verified. */
export function buildProof({ loop, facts, crcs, journal, circumstances }: ProofInput): UnsignedProof | undefined {
  const used = factsUsed(facts);
  const { gate, baseline, ended } = used;
  if (loop.status !== 'completed' || !loop.outcome.verified || gate === undefined || ended === undefined)
    return undefined;
  const { createdAt, environment, folder, commit } = circumstances;
  return {
    format: proofFormat,
    createdAt,
    loop: {
      id: loop.id,
      uuid: loop.origin.uuid,
      task: loop.origin.task,
      status: loop.status,
      verified: loop.outcome.verified,
      iterations: loop.position.finished,
      ...(loop.origin.startedAt === undefined ? {} : { startedAt: loop.origin.startedAt }),
      ...(loop.outcome.endedAt === undefined ? {} : { endedAt: loop.outcome.endedAt }),
      runningMs: loop.totals.runningMs,
    },
    proof: {
      level: loop.outcome.proof ?? proofLevelOf(loop, loop.outcome.verified),
      tree: gate.data.tree ?? null,
      folder,
      commit,
    },
    commands: loop.gate.checks.map((command) => (typeof command === 'string' ? command : [...command])),
    baseline: baseline === undefined ? null : runOf(baseline.data),
    final: {
      ...runOf(gate.data),
      iteration: gate.data.iteration,
      attempt: gate.data.attempt,
      durationMs: gate.data.durationMs,
    },
    environment,
    ...sandboxOf(facts),
    agents: [{ name: loop.origin.agent, models: modelsIn(loop, facts) }],
    usage: usageOf(loop),
    doubts: describeDoubts(loop).map(({ files, ...doubt }) => ({
      ...doubt,
      ...(files === undefined ? {} : { files: [...files] }),
    })),
    warnings: [...warningsOf(loop)],
    guardsChanged: [...new Set(facts.flatMap((fact) => (fact.type === 'gate.accepted' ? fact.data.changed : [])))],
    journal: { facts: used.all.map((fact) => linkOf(fact, crcs)), ...journal },
  };
}

interface FactsUsed {
  readonly baseline: Extract<RecordedFact, { type: 'baseline.finished' }> | undefined;
  readonly gate: Extract<RecordedFact, { type: 'gate.finished' }> | undefined;
  readonly ended: RecordedFact | undefined;
  readonly all: readonly RecordedFact[];
}

const alwaysUsed: ReadonlySet<string> = new Set([
  'loop.started',
  'environment.captured',
  'gate.accepted',
  'loop.completing',
]);

function factsUsed(facts: readonly RecordedFact[]): FactsUsed {
  const baseline = facts.findLast((fact) => fact.type === 'baseline.finished');
  const gate = facts.findLast((fact) => fact.type === 'gate.finished');
  const ended = facts.findLast((fact) => fact.type === 'loop.ended');
  const chosen = new Set<RecordedFact | undefined>([baseline, gate, ended]);
  return { baseline, gate, ended, all: facts.filter((fact) => chosen.has(fact) || alwaysUsed.has(fact.type)) };
}

function linkOf({ type, seq, at }: RecordedFact, crcs: ReadonlyMap<number, string>) {
  return { type, seq, at, crc: crcs.get(seq) ?? '00000000' };
}

function runOf({ verdict, checks, tests }: Pick<FactData<'gate.finished'>, 'verdict' | 'checks' | 'tests'>) {
  return { verdict, checks: checks.map(ranCheck), ...(tests === undefined ? {} : { tests: countsOf(tests) }) };
}

function ranCheck({ command, verdict, exitCode, durationMs, outputDigest }: Check) {
  return {
    command,
    verdict,
    ...(exitCode === undefined ? {} : { exitCode }),
    durationMs,
    ...(outputDigest === undefined ? {} : { outputDigest }),
  };
}

function countsOf({ framework, total, passed, failed, skipped }: TestCounts) {
  return { framework, total, passed, failed, skipped };
}

/** The weakest sandbox of all runs. */
function sandboxOf(facts: readonly RecordedFact[]): Pick<ProofBundle, 'sandbox'> {
  const modes = facts.flatMap((fact) => (fact.type === 'agent.started' ? [fact.data.sandbox] : []));
  if (modes.length === 0 || modes.includes(undefined)) return {};
  return { sandbox: modes.includes('on') ? 'on' : 'strict' };
}

function modelsIn({ config }: Loop, facts: readonly RecordedFact[]): string[] {
  const reported = facts.flatMap((fact) => (fact.type === 'agent.finished' ? (fact.data.model ?? []) : []));
  return [...new Set([...(config.model === undefined || config.model === null ? [] : [config.model]), ...reported])];
}

function usageOf({ totals: { spent } }: Loop): ProofBundle['usage'] {
  const { tokens, costUsd, runs, unreportedTokens, unreportedCost } = spent;
  return { tokens, costUsd, runs, unreportedTokens, unreportedCost };
}

/** JSON with sorted keys and without spaces: equal values give equal text. */
export function canonicalJson(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(canonicalJson).join(',')}]`;
  if (typeof value !== 'object' || value === null) return JSON.stringify(value) ?? 'null';
  const entries = Object.entries(value)
    .filter(([, inner]) => inner !== undefined)
    .sort(([one], [other]) => (one < other ? -1 : 1));
  return `{${entries.map(([name, inner]) => `${JSON.stringify(name)}:${canonicalJson(inner)}`).join(',')}}`;
}

/** A command as one line, as the results of checks name it. */
export function lineOfCommand(command: CheckCommand): string {
  return typeof command === 'string' ? command : command.join(' ');
}
