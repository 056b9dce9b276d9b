import type { LockedRegistry } from '../../../src/store/index.ts';
import type { Subject } from './subject.ts';
import { type Machine, root } from './world.ts';

export const registryFile = `${root}/registry.json`;

/** The registry with a given number, and its expected bytes. */
export function registryOf(number: number) {
  const document = { version: '2.0.0', generated_by: 'ralphd', number };
  return { document, text: `${JSON.stringify(document, undefined, 2)}\n` };
}

/** Replaces the registry under its lock, as the rooms above do. */
export function replaceRegistry(subject: Subject, machine: Machine, number: number): void {
  const { files, lock, pid = 4242 } = machine;
  const now = () => new Date('2026-11-16T10:00:00.000Z');
  const place: LockedRegistry = { files, root, lock, now, pid, isRunning: () => false };
  subject.withRegistry(place, 0, () => subject.writeRegistry(place, registryOf(number).document));
}

/** Checks that a new registry can replace any current content, and that damaged content is kept. */
export function rewriteRegistry(subject: Subject, machine: Machine): void {
  const place = { files: machine.files, root };
  const isDamaged = subject.readRegistry(place).kind === 'damaged';
  replaceRegistry(subject, machine, 0);
  const found = subject.readRegistry(place);
  if (found.kind !== 'document' || found.document['number'] !== 0) throw new Error('the new registry is not read back');
  const isKept = machine.files.list(root).some((name) => /^registry\.json\..+\.broken$/.test(name));
  if (isDamaged && !isKept) throw new Error('a damaged registry was thrown away');
}
