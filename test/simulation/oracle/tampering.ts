import { type Invariant, on } from './invariant.ts';

/** A gate that the agent edited proves nothing. */
export const tamperingInvariants: readonly Invariant[] = [
  on(
    'loop.completing',
    'R6: a loop never completes as verified while a file of its gate is tampered with',
    (_, data, seen) => {
      return data.verified && !seen.world.check.honest && `check.sh is ${seen.world.check.digest}`;
    },
  ),
  on('loop.ended', 'R6: nor does it end as verified', (_ledger, data, seen) => {
    return data.verified && !seen.world.check.honest && `check.sh is ${seen.world.check.digest}`;
  }),
  on('gate.started', 'what is guarded changes only when the user says so', (ledger, _data, { before, world }) => {
    const wanted = ledger.guarded ? world.accepted.digest : undefined;
    const [guard] = before.gate.guards ?? [];
    const digest = guard?.kind === 'file' ? guard.digest : undefined;
    return digest !== wanted && `${digest ?? 'nothing'} is guarded instead of ${wanted ?? 'nothing'}`;
  }),
];
