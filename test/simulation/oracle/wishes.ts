import type { FactType } from '../../../src/protocol/index.ts';
import type { World } from '../world/world.ts';
import { type Invariant, on, onAny } from './invariant.ts';

const work: readonly FactType[] = [
  'iteration.started',
  'hooks.started',
  'agent.started',
  'gate.started',
  'reboot.started',
  'loop_hooks.started',
];

/** Every request takes effect exactly once, and guidance reaches the agent. */
export const wishInvariants: readonly Invariant[] = [
  onAny(
    ['command.accepted', 'command.refused'],
    'a command is answered once, however often it is read',
    (ledger, seen) => {
      const { type, data } = seen.fact;
      if (type !== 'command.accepted' && type !== 'command.refused') return undefined;
      return ledger.ended === 0 && ledger.answers.has(data.id) && `${data.id} was answered before`;
    },
  ),
  onAny(
    work,
    'A040, A049: nothing starts after somebody ended the loop',
    ({ wishes, abortedAtMs }, { fact, world }) => {
      // A stop, unlike an abort, waits for the hooks at the end.
      if (fact.type === 'loop_hooks.started' && fact.data.point === 'loop_end' && abortedAtMs === Infinity)
        return undefined;
      return isDecidable(wishes.end, world) && `${fact.type} after stop or abort`;
    },
  ),
  onAny(['iteration.started', 'reboot.started'], 'A048: a pause holds at the next boundary', ({ wishes }, seen) => {
    return isDecidable(wishes.pause?.seq, seen.world) && `${seen.fact.type} although a pause was accepted`;
  }),
  onAny(
    ['hooks.started', 'loop_hooks.started', 'agent.started', 'gate.started'],
    'R5: a pause that is to act at once lets nothing start',
    ({ wishes }) => wishes.pause?.now === true && 'a pause was to act at once',
  ),
  on(
    'iteration.started',
    'A050: a reboot that was asked for comes before the next iteration',
    ({ wishes }, _data, { world }) => {
      return isDecidable(wishes.reboot, world) && 'the reboot is still to come';
    },
  ),
  on('agent.started', 'A051: no agent runs again for an iteration that was skipped', ({ wishes }, { iteration }) => {
    return wishes.skipped === iteration && `iteration ${iteration} was given up`;
  }),
  on('wait.scheduled', 'a retry that was asked for is made without another wait', ({ wishes }, { cause }) => {
    // A retry does not end a wait for the schedule.
    return wishes.retry && cause !== 'schedule' && cause !== 'rate' && `a wait for ${cause}`;
  }),
  on('iteration.started', 'A056: after a reboot the work is handed over to a fresh session', (ledger, data) => {
    if (data.handOff !== ledger.handOffDue) return data.handOff ? 'a handover for no reason' : 'no handover';
    return data.handOff && data.session !== 'fresh' && 'the session is not fresh';
  }),
  on('iteration.started', 'A054, R18: a session at its redline is not continued', (ledger, { session }) => {
    if (session !== 'continue') return undefined;
    if (ledger.config?.session.strategy !== 'continue') return 'every iteration was to get a fresh session';
    const { contextRedlinePercent, session: strategy } = ledger.config;
    const redline = strategy.autoReboot ? contextRedlinePercent : 100;
    return ledger.contextPercent > 0 && ledger.contextPercent >= redline && `${ledger.contextPercent} %`;
  }),
];

/** Whether the latest decision knew this fact. A later request is handled later. */
function isDecidable(seq: number | undefined, { decidedSeq }: World): boolean {
  return seq !== undefined && seq <= decidedSeq;
}
