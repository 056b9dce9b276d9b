import type { ProofBundle } from '../../protocol/index.ts';
import { canonicalJson, lineOfCommand, type UnsignedProof } from './proof-bundle.ts';

/** One thing that a verification looked at. */
export interface ProofLine {
  /** Permanent: scripts read it. */
  readonly name: string;
  /** `unknown`: there was nothing to compare it with. */
  readonly result: 'holds' | 'broken' | 'unknown';
  readonly detail: string;
}

/** Compares a proof with itself: whatever its digest says, its parts have to fit together. */
export function checkProof(bundle: ProofBundle): readonly ProofLine[] {
  return [
    line('status', statusProblem(bundle), `completed and verified, level "${bundle.proof.level}"`),
    line('checks', checksProblem(bundle), `${counted(bundle.final.checks.length, 'check')} passed with exit code 0`),
    line('tests', testsProblem(bundle), testsText(bundle)),
    line('chain', chainProblem(bundle), `${counted(bundle.journal.facts.length, 'fact')} of the journal, in order`),
  ];
}

/** Compares a proof with what the journal of the loop proves. */
export function compareWithJournal(bundle: ProofBundle, rebuilt: UnsignedProof | undefined): readonly ProofLine[] {
  if (rebuilt === undefined) {
    return [line('journal', 'the journal of this loop does not say that it completed and was verified', '')];
  }
  const parts = ['loop', 'commands', 'baseline', 'final', 'agents', 'usage', 'doubts', 'warnings', 'guardsChanged'];
  const other = parts.filter((part) => textOf(bundle, part) !== textOf(rebuilt, part));
  const { level, tree } = bundle.proof;
  const isOtherProof = canonicalJson({ level, tree }) !== canonicalJson(pick(rebuilt.proof));
  const isOtherChain = canonicalJson(bundle.journal.facts) !== canonicalJson(rebuilt.journal.facts);
  const differing = [...other, ...(isOtherProof ? ['proof'] : []), ...(isOtherChain ? ['journal.facts'] : [])];
  const problem = differing.length === 0 ? undefined : `the journal says something else about: ${differing.join(', ')}`;
  return [line('journal', problem, 'says the same'), segmentsLine(bundle, rebuilt)];
}

/** Files may have grown since: what was there then has to be there still. */
function segmentsLine(bundle: ProofBundle, rebuilt: UnsignedProof): ProofLine {
  const now = new Map(rebuilt.journal.segments.map((segment) => [segment.name, segment]));
  const other = bundle.journal.segments.filter(({ name, bytes, sha256 }) => {
    const present = now.get(name);
    return present === undefined || present.bytes !== bytes || present.sha256 !== sha256;
  });
  const names = other.map(({ name }) => name).join(', ');
  return line('segments', other.length === 0 ? undefined : `other bytes in ${names}`, 'the same files, byte by byte');
}

function pick({ level, tree }: UnsignedProof['proof']) {
  return { level, tree };
}

function textOf(bundle: object, part: string): string {
  return canonicalJson((bundle as Record<string, unknown>)[part]);
}

/** A line of the result: broken where there is a problem. */
export function line(name: string, problem: string | undefined, detail: string): ProofLine {
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
  return isOdd ? 'more tests passed, failed and were skipped than there are' : undefined;
}

function testsText({ final: { tests } }: ProofBundle): string {
  return tests === undefined ? 'none were counted' : `${tests.passed} of ${tests.total} passed, none failed`;
}

function chainProblem({ journal, loop }: ProofBundle): string | undefined {
  const { facts, segments, end } = journal;
  const types = facts.map(({ type }) => type);
  const missing = ['loop.started', 'gate.finished', 'loop.ended'].filter((type) => !types.includes(type));
  if (missing.length > 0) return `it does not name ${missing.join(', ')}`;
  if (facts.some(({ seq }, index) => index > 0 && seq <= (facts[index - 1]?.seq ?? 0))) return 'facts are out of order';
  const last = facts.at(-1);
  if (last?.type !== 'loop.ended') return `the last fact is ${last?.type ?? 'missing'}`;
  if (last.seq > end.seq || (last.seq === end.seq && last.crc !== end.crc)) return 'the journal ends before its facts';
  if (segments.length === 0) return 'it names no file of the journal';
  return loop.endedAt !== undefined && last.at !== loop.endedAt ? 'the loop ended at another time' : undefined;
}

function counted(number: number, noun: string): string {
  return `${number} ${number === 1 ? noun : `${noun}s`}`;
}
