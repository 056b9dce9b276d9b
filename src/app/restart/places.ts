import path from 'node:path';
import { isUnitPath, type RestartPlan, renderLaunchAgent, renderUnit, unitWord, xml } from './render.ts';

/** The service manager of this system, and how to configure it. */
export interface Restarter {
  readonly folder: string;
  readonly name: (loopId: string) => string;
  /** The loop that a file belongs to; undefined if ralphd did not write it. */
  readonly loopOf: (name: string) => string | undefined;
  /** Links that may point to the file once it is enabled. */
  readonly links: (loopId: string) => readonly string[];
  readonly render: (plan: RestartPlan) => string;
  /** A word of the command in the syntax of the file. */
  readonly word: (text: string) => string;
  /** Whether it can start programs in this folder. */
  readonly canEnter: (folder: string) => boolean;
  /** Commands that make it notice a new file. */
  readonly enable: (loopId: string) => readonly (readonly string[])[];
  /** Commands that make it forget a removed file. */
  readonly forget: readonly (readonly string[])[];
}

/** The service manager of this system for a user; undefined if there is none. */
export function restarterOf(
  { HOME: home, XDG_CONFIG_HOME: config }: NodeJS.ProcessEnv,
  platform = process.platform,
): Restarter | undefined {
  if (home === undefined || !path.isAbsolute(home)) return undefined;
  if (platform === 'darwin') return launchd(path.join(home, 'Library', 'LaunchAgents'));
  const own = config !== undefined && path.isAbsolute(config) ? config : path.join(home, '.config');
  return platform === 'linux' ? systemd(path.join(own, 'systemd', 'user')) : undefined;
}

function systemd(folder: string): Restarter {
  const name = (loopId: string) => `ralphd-${loopId}.service`;
  const reload = ['systemctl', '--user', 'daemon-reload'];
  return {
    folder,
    name,
    loopOf: (file) => /^ralphd-(.+)\.service$/.exec(file)?.[1],
    links: (loopId) => [path.join(folder, 'default.target.wants', name(loopId))],
    render: renderUnit,
    word: unitWord,
    canEnter: isUnitPath,
    enable: (loopId) => [reload, ['systemctl', '--user', 'enable', name(loopId)]],
    forget: [reload],
  };
}

/** launchd reads its folder at each login; loading the file now would start a loop that already runs. */
function launchd(folder: string): Restarter {
  return {
    folder,
    name: (loopId) => `ralphd.${loopId}.plist`,
    loopOf: (file) => /^ralphd\.(.+)\.plist$/.exec(file)?.[1],
    links: () => [],
    render: renderLaunchAgent,
    word: (text) => `<string>${xml(text)}</string>`,
    canEnter: (text) => !/\p{Cc}/u.test(text),
    enable: () => [],
    forget: [],
  };
}
