import { readFileSync } from 'node:fs';

/** What keeps namespaces from being created on this machine, by its settings: the value that does, and the fix. */
const switches: readonly (readonly [file: string, value: string, fix: string])[] = [
  [
    '/proc/sys/kernel/apparmor_restrict_unprivileged_userns',
    '1',
    'Allow user namespaces for bubblewrap with an AppArmor profile, or for all programs: sudo sysctl kernel.apparmor_restrict_unprivileged_userns=0',
  ],
  [
    '/proc/sys/kernel/unprivileged_userns_clone',
    '0',
    'Allow user namespaces: sudo sysctl kernel.unprivileged_userns_clone=1',
  ],
  ['/proc/sys/user/max_user_namespaces', '0', 'Allow user namespaces: sudo sysctl user.max_user_namespaces=15000'],
];

const inContainer =
  'In a container, start it with "--security-opt seccomp=unconfined --security-opt systempaths=unconfined", or set "sandbox: off" if the container itself is your sandbox.';

/** What a user can do about an enclosure that could not be created. */
export function fixFor(output: string): string {
  const found = switches.find(([file, value]) => readSetting(file) === value);
  if (found !== undefined) return found[2];
  if (/mount proc|creating new namespace|Operation not permitted|Permission denied/i.test(output)) return inContainer;
  return 'Correct this, or set "sandbox: off" if this machine is one that you can afford to lose.';
}

function readSetting(file: string): string | undefined {
  try {
    return readFileSync(file, 'utf8').trim();
  } catch {
    return undefined;
  }
}
