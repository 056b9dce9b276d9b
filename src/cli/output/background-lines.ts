import path from 'node:path';
import type { BackgroundLoop } from '../background.ts';
import { jsonLine } from './json-line.ts';
import type { Paint } from './paint.ts';

/** A loop that now runs in the background: how to watch, pause and stop it. */
export function backgroundLines({ loopId, pid, log }: BackgroundLoop, cwd: string, paint: Paint): readonly string[] {
  const rows = [
    ['watch', `ralphd status ${loopId}`],
    ['pause', `ralphd pause ${loopId}`],
    ['stop', `ralphd stop ${loopId}`],
    ['log', path.relative(cwd, log)],
  ] as const;
  return [
    `${paint.note(loopId)} runs in the background (process ${pid})`,
    ...rows.map(([name, value]) => `  ${paint.dim(name.padEnd(7))} ${value}`),
  ];
}

/** The same for programs: the one line of `run --detach --json`, a public contract. */
export function backgroundObject({ loopId, pid, log, warnings }: BackgroundLoop): string {
  return jsonLine({ type: 'loop.detached', loopId, pid, log, warnings });
}
