import type { ProofLevel } from '../../../src/protocol/index.ts';
import { type Invariant, on } from './invariant.ts';
import type { BaselineReport, Ledger } from './ledger.ts';

const maxObstacles = 2;

/** What a verdict is based on, and how strong the loop reports it to be. */
export const evidenceInvariants: readonly Invariant[] = [
  on(
    'loop.completing',
    'R6: a claim completes only where something changed since the loop began',
    (ledger, data, seen) => {
      const { changedFiles } = seen.world;
      const isKnown = seen.before.verification.latest?.result.changedFiles !== undefined;
      return (
        data.verified && isKnown && changedFiles === 0 && ledger.config?.trustPromise !== true && 'nothing changed'
      );
    },
  ),
  on('loop.completing', 'R6: checks that were green all along are doubted, and no others', (ledger, data, seen) => {
    if (!data.verified) return undefined;
    const codes = seen.world.rules.doubtsOf(seen.after).map(({ code }) => code);
    const isDoubted = codes.includes('already_green');
    if (isDoubted !== isGreenAllAlong(ledger)) return `${isDoubted ? 'doubted' : 'not doubted'}: ${codes.join(', ')}`;
    const isUntried = ledger.baseline === undefined;
    return codes.includes('no_baseline') !== isUntried && `${isUntried ? 'never tried' : 'tried'}: ${codes.join(', ')}`;
  }),
  on('loop.completing', 'a completion says how far its proof reaches', (ledger, data, { after }) => {
    const expected = proofOf(ledger, data.verified);
    return (
      (data.proof !== expected || after.outcome.proof !== expected) &&
      `${data.proof}, ${after.outcome.proof}: not ${expected}`
    );
  }),
  on('loop.ended', 'the end says so, too, whoever drives the loop then', (ledger, data, { after }) => {
    if (data.status !== 'completed') return data.proof !== undefined && `${data.status} with a proof`;
    const expected = proofOf(ledger, data.verified);
    return (
      (data.proof !== expected || after.outcome.proof !== expected) &&
      `${data.proof}, ${after.outcome.proof}: not ${expected}`
    );
  }),
  on(
    'iteration.started',
    'R6: nothing starts while the checks cannot judge anything, unless that is allowed',
    (ledger) => {
      const { baseline, config } = ledger;
      if (ledger.lastIteration > 0 || baseline === undefined || config?.allowBrokenBaseline === true) return undefined;
      return isBroken(baseline) && `the baseline is ${baseline.verdict}`;
    },
  ),
  on(
    'loop.paused',
    'the environment and the settings pause a loop only for a cause',
    (ledger, { reason }, { world }) => {
      const { due, wishes } = ledger;
      if (reason === 'configuration')
        return due !== 'configuration' && due !== 'baseline' && `${due ?? 'nothing'} is due`;
      if (reason !== 'environment' || wishes.pause !== undefined) return undefined;
      const isDue = world.isUnprepared || due === 'environment' || due === 'hook' || due === 'obstacle';
      return !isDue && `${due ?? 'nothing'} is due`;
    },
  ),
];

/** Whether the checks could not judge anything in the baseline. */
export function isBroken({ checks, obstacle }: BaselineReport): boolean {
  return (
    obstacle !== undefined || checks.some(({ verdict }) => !['passed', 'failed', 'contradicted'].includes(verdict))
  );
}

/** Counts consecutive gates with the same obstacle. */
export function enterObstacle(ledger: Ledger, code: string | undefined): void {
  if (ledger.open !== undefined) ledger.open.isObstructed = code !== undefined;
  if (code === undefined) delete ledger.obstacle;
  else ledger.obstacle = { code, gates: ledger.obstacle?.code === code ? ledger.obstacle.gates + 1 : 1 };
}

/** Whether the attempt meets the same obstacle as the previous gate. */
export function isBlocked({ open, obstacle }: Ledger): boolean {
  return open?.isObstructed === true && (obstacle?.gates ?? 0) >= maxObstacles;
}

function isGreenAllAlong({ baseline, passing }: Ledger): boolean {
  return baseline?.verdict === 'passed' && (passing === undefined || passing <= (baseline.tests?.passed ?? 0));
}

function proofOf({ proof, config }: Ledger, verified: boolean): ProofLevel {
  if (!verified) return 'none';
  return proof ?? config?.verifyIn ?? 'tree';
}
