import path from 'node:path';
import type { RestartSetup } from '../../app/index.ts';
import type { BackgroundLoop } from '../background.ts';
import { jsonLine } from './json-line.ts';
import type { Paint } from './paint.ts';
import { oneLine } from './plain.ts';

/** A loop in the background, and what restarts it after a reboot. */
type ShownLoop = BackgroundLoop & { readonly restart?: RestartSetup | undefined };

/** A loop that now runs in the background: how to watch, pause and stop it. */
export function backgroundLines({ loopId, pid, log, restart }: ShownLoop, cwd: string, paint: Paint): string[] {
  const rows = [
    ['watch', `ralphd watch ${loopId}`],
    ['pause', `ralphd pause ${loopId}`],
    ['stop', `ralphd stop ${loopId}`],
    ['log', path.relative(cwd, log)],
    ...(restart === undefined ? [] : [['restart', restart.file] as const]),
  ] as const;
  return [
    `${paint.note(loopId)} runs in the background (process ${pid})`,
    ...rows.map(([name, value]) => `  ${paint.dim(name.padEnd(7))} ${value}`),
  ];
}

/** What the user still has to do or know so that the loop continues after a reboot. */
export function restartNotes({ toDo, atBoot, withheld, environmentFile }: RestartSetup): string[] {
  return [
    ...(toDo === undefined
      ? []
      : [`The restart is prepared, but not enabled (${oneLine(toDo.why, 200)}). Run: ${toDo.command}`]),
    ...(atBoot
      ? []
      : ['After a reboot the loop continues when you log in. To start it at boot: loginctl enable-linger']),
    ...(withheld.length === 0
      ? []
      : [
          `Secrets are not stored for the restart: ${oneLine(withheld.join(', '), 200)}. Put those that the agent needs into ${environmentFile}, readable only by you.`,
        ]),
  ];
}

/** The same for programs: the one line of `run --detach --json`, a public contract. */
export function backgroundObject({ loopId, pid, log, warnings }: BackgroundLoop, restart?: RestartSetup): string {
  return jsonLine({ type: 'loop.detached', loopId, pid, log, warnings, ...(restart === undefined ? {} : { restart }) });
}
