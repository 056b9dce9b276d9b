import { userInfo } from 'node:os';

/** Who runs this process; undefined if the system does not know. */
export function userName(): string | undefined {
  try {
    return userInfo().username;
  } catch {
    // A container may run as a user without a name.
    return undefined;
  }
}
