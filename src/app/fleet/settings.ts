import path from 'node:path';
import { failures, LoopError } from '../../base/index.ts';
import type { LoopConfig } from '../../protocol/index.ts';

interface Refused {
  readonly setting: string;
  readonly isSet: (config: LoopConfig) => boolean;
  readonly why: string;
  readonly instead: string;
}

const encryption: Refused = {
  setting: 'persistence.encrypt',
  isSet: ({ persistence }) => persistence.encrypt,
  why: 'the database and its worker would store it in clear text',
  instead:
    'Encrypt the disks of the database and of the workers, then submit it with RALPHD_PERSISTENCE_ENCRYPT=false; or run it on one machine with "ralphd run".',
};

/** Settings without whose effect a loop would not be the one that was asked for. */
const refused: readonly Refused[] = [
  encryption,
  {
    setting: 'persistence.enabled',
    isSet: ({ persistence }) => !persistence.enabled,
    why: 'a loop that is to keep no state would be stored in the database',
    instead: 'Submit it with RALPHD_PERSISTENCE_ENABLED=true, or run it on one machine with "ralphd run".',
  },
  {
    setting: 'workingDir',
    isSet: ({ workingDir }) => path.normalize(workingDir).replace(/\/$/, '') !== '.',
    why: 'its agent would work at the top of the repository instead',
    instead: 'Submit it with RALPHD_WORKING_DIR=. and name the folder in the task and in the commands of its checks.',
  },
];

/** Refuses a loop that the workers of a fleet would drive differently from what its settings say. */
export function assertFleetCan(config: LoopConfig): void {
  for (const each of refused) assertNot(each, config);
}

/** Refuses to go on with a loop whose facts were to be encrypted. */
export function assertNotToBeEncrypted(config: LoopConfig): void {
  assertNot(encryption, config);
}

function assertNot({ setting, isSet, why, instead }: Refused, config: LoopConfig): void {
  if (isSet(config)) throw new LoopError(failures.fleetSetting(setting, why, instead));
}

const withoutEffect: Readonly<Record<string, string>> = {
  stateDir: 'its worker keeps the state in its own folder',
  worktree: 'each loop of a fleet has a work tree and the branch ralphd/ID of its own',
  worktreeDir: 'its worker keeps the work tree in its own folder',
  worktreeSetup: 'workers do not run it, only "ralphd land" does; let a check or the task install what is needed',
};

/** The settings that were given but do nothing in a fleet, a sentence each. */
export function settingsWithoutEffect(isGiven: (setting: string) => boolean): readonly string[] {
  return Object.entries(withoutEffect).flatMap(([setting, why]) =>
    isGiven(setting) ? [`The setting "${setting}" has no effect on a worker: ${why}.`] : [],
  );
}
