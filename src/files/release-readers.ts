import { closeSync, constants, openSync } from 'node:fs';
import { quietly } from './disk-errors.ts';

const toRelease = constants.O_WRONLY | constants.O_NONBLOCK | constants.O_NOFOLLOW;

/** Lets programs go on that wait for somebody to write into a pipe: for them it is empty. Nothing is written. */
export function releaseReaders(pipe: Buffer): void {
  // Fails at once where nobody waits.
  quietly(() => closeSync(openSync(pipe, toRelease)));
}
