import type { LoopRow } from '../../src/protocol/index.ts';
import type { Fleet } from '../state/fleet.ts';
import { counted, dollars } from '../words/amounts.ts';
import { moment } from '../words/times.ts';

/** What all loops together do, in one sentence. */
export function fleetLead({ loops, unreadable }: Fleet, nowMs: number): string {
  if (loops.length === 0 && unreadable.length === 0) return 'No loops here yet.';
  const count = (group: LoopRow['group']) => loops.filter((row) => row.group === group).length;
  const need = count('needs you') + unreadable.length;
  const running = count('running');
  const waiting = loops.filter((row) => row.group === 'waiting');
  const until = waiting.length === 1 ? (waiting[0]?.waitUntil ?? waiting[0]?.wakeAt) : undefined;
  const rest = [
    ...(running === 0 ? [] : [`${running} ${running === 1 ? 'is' : 'are'} running`]),
    ...(waiting.length === 0
      ? []
      : [
          `${waiting.length} ${waiting.length === 1 ? 'waits' : 'wait'}${until === undefined ? '' : ` until ${moment(until, nowMs)}`}`,
        ]),
  ];
  const first = need === 0 ? 'Nothing needs you.' : `${need === 1 ? '1 loop needs' : `${need} loops need`} you.`;
  if (rest.length === 0) return need === 0 ? 'Nothing needs you. Nothing is running.' : first;
  return `${first} ${capital(rest.join(', '))}.`;
}

/** What all loops together have used and proven. */
export function fleetSums(loops: readonly LoopRow[]): string {
  if (loops.length === 0) return '';
  const usd = loops.reduce((sum, { cost }) => sum + (cost.usd ?? 0), 0);
  const silent = loops.filter(({ cost, finished }) => cost.usd === null && finished > 0).length;
  const isLower = silent > 0 || loops.some(({ cost }) => cost.unreportedRuns > 0);
  const iterations = loops.reduce((sum, { finished }) => sum + finished, 0);
  const proven = loops.filter(({ state }) => state === 'proven').length;
  const parts = [
    counted(loops.length, 'loop'),
    counted(iterations, 'iteration'),
    ...(usd === 0 ? [] : [`${isLower ? 'at least ' : ''}${dollars(usd)} spent`]),
    `${counted(proven, 'task')} proven`,
  ];
  const unknown = silent === 0 ? '' : ` ${silent === 1 ? 'One loop does' : `${silent} loops do`} not report its cost.`;
  return `${parts.join(', ')}.${silent > 1 ? unknown.replace('its cost', 'their cost') : unknown}`;
}

function capital(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}
