import type { ProofBundle } from '../../protocol/index.ts';
import { canonicalJson, lineOfCommand, type UnsignedProof } from './proof-bundle.ts';

/** One finding of a verification. */
export interface ProofLine {
  /** Permanent, because scripts read it. */
  readonly name: string;
  /** `unknown`: there was nothing to compare it with. */
  readonly result: 'holds' | 'broken' | 'unknown';
  readonly detail: string;
}

/** Checks that the parts of a proof agree with each other, whatever its digest says. */
export function checkProof(bundle: ProofBundle): readonly ProofLine[] {
  return [
    proofLine('status', statusProblem(bundle), `completed and verified, level "${bundle.proof.level}"`),
    proofLine(
      'checks',
      checksProblem(bundle),
      `${counted(bundle.final.checks.length, 'check')} passed with exit code 0`,
    ),
    proofLine('tests', testsProblem(bundle), testsText(bundle)),
    proofLine(
      'chain',
      chainProblem(bundle),
      `${counted(bundle.journal.facts.length, 'fact')} of the journal, in order`,
    ),
  ];
}

/** Compares a proof with the one that the loop's journal gives now. */
export function compareWithJournal(bundle: ProofBundle, rebuilt: UnsignedProof | undefined): readonly ProofLine[] {
  if (rebuilt === undefined) {
    return [proofLine('journal', 'according to its journal, this loop did not complete with verification', '')];
  }
  const parts = ['loop', 'commands', 'baseline', 'final', 'agents', 'usage', 'doubts', 'warnings', 'guardsChanged'];
  const differingParts = parts.filter((part) => textOf(bundle, part) !== textOf(rebuilt, part));
  const { level, tree } = bundle.proof;
  const isProofDifferent = canonicalJson({ level, tree }) !== canonicalJson(pick(rebuilt.proof));
  const isChainDifferent = canonicalJson(bundle.journal.facts) !== canonicalJson(rebuilt.journal.facts);
  const differing = [
    ...differingParts,
    ...(isProofDifferent ? ['proof'] : []),
    ...(isChainDifferent ? ['journal.facts'] : []),
  ];
  const problem = differing.length === 0 ? undefined : `the journal differs in: ${differing.join(', ')}`;
  return [proofLine('journal', problem, 'agrees with the proof'), segmentsLine(bundle, rebuilt)];
}

/** New segments may have been added since; those that the proof names must be unchanged. */
function segmentsLine(bundle: ProofBundle, rebuilt: UnsignedProof): ProofLine {
  const now = new Map(rebuilt.journal.segments.map((segment) => [segment.name, segment]));
  const changed = bundle.journal.segments.filter(({ name, bytes, sha256 }) => {
    const present = now.get(name);
    return present === undefined || present.bytes !== bytes || present.sha256 !== sha256;
  });
  const names = changed.map(({ name }) => name).join(', ');
  const problem = changed.length === 0 ? undefined : `different bytes in ${names}`;
  return proofLine('segments', problem, 'the same files, byte for byte');
}

function pick({ level, tree }: UnsignedProof['proof']) {
  return { level, tree };
}

function textOf(bundle: object, part: string): string {
  return canonicalJson((bundle as Record<string, unknown>)[part]);
}

/** A finding: broken where there is a problem. */
export function proofLine(name: string, problem: string | undefined, detail: string): ProofLine {
  return problem === undefined ? { name, result: 'holds', detail } : { name, result: 'broken', detail: problem };
}

function statusProblem({ loop, proof }: ProofBundle): string | undefined {
  if (loop.status !== 'completed' || !loop.verified) return `the loop is ${loop.status}, verified: ${loop.verified}`;
  if (proof.level === 'none') return 'nothing was checked: the level is "none"';
  const { startedAt, endedAt } = loop;
  return startedAt !== undefined && endedAt !== undefined && endedAt < startedAt
    ? 'the loop ended before it started'
    : undefined;
}

function checksProblem({ commands, final }: ProofBundle): string | undefined {
  if (commands.length === 0) return 'there is no check';
  const ran = final.checks.map(({ command }) => command);
  const expected = commands.map(lineOfCommand);
  if (canonicalJson(ran) !== canonicalJson(expected)) return 'the checks that ran are not the commands of the gate';
  if (final.verdict !== 'passed') return `the verdict is "${final.verdict}"`;
  const bad = final.checks.find(({ verdict, exitCode }) => verdict !== 'passed' || exitCode !== 0);
  if (bad === undefined) return undefined;
  return `"${bad.command}" has verdict "${bad.verdict}" and exit code ${bad.exitCode ?? 'none'}`;
}

function testsProblem({ baseline, final }: ProofBundle): string | undefined {
  if (final.tests !== undefined && final.tests.failed > 0) {
    return `${final.tests.failed} of ${final.tests.total} counted tests failed`;
  }
  const isOdd = [baseline?.tests, final.tests].some(
    (tests) => tests !== undefined && tests.passed + tests.failed + tests.skipped > tests.total,
  );
  return isOdd ? 'passed, failed and skipped tests add up to more than the total' : undefined;
}

function testsText({ final: { tests } }: ProofBundle): string {
  return tests === undefined ? 'none were counted' : `${tests.passed} of ${tests.total} passed, none failed`;
}

function chainProblem({ journal, loop }: ProofBundle): string | undefined {
  const { facts, segments, end } = journal;
  const types = facts.map(({ type }) => type);
  const missing = ['loop.started', 'gate.finished', 'loop.ended'].filter((type) => !types.includes(type));
  if (missing.length > 0) return `it lacks ${missing.join(', ')}`;
  if (facts.some(({ seq }, index) => index > 0 && seq <= (facts[index - 1]?.seq ?? 0))) return 'facts are out of order';
  const last = facts.at(-1);
  if (last?.type !== 'loop.ended') return `the last fact is ${last?.type ?? 'missing'}`;
  if (last.seq > end.seq || (last.seq === end.seq && last.crc !== end.crc)) return 'the journal ends before its facts';
  if (segments.length === 0) return 'it lists no journal file';
  return loop.endedAt !== undefined && last.at !== loop.endedAt
    ? 'its last fact is not from the time at which the loop ended'
    : undefined;
}

function counted(number: number, noun: string): string {
  return `${number} ${number === 1 ? noun : `${noun}s`}`;
}
