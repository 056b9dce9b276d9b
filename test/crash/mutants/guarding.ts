import { coding, type Mutant } from './mutant.ts';

const behind = 'an outdated copy, and a damaged one';
const unseen = 'a sealed segment that is damaged unnoticed while the loop runs';
const unowned = 'state that is damaged while no process runs the loop';

/** Bugs in the mirror, in restoring from it, in pruning and in the registry. */
export const guardingMutants: readonly Mutant[] = [
  coding(
    'a copy that is behind wins over the state',
    [
      {
        file: 'store/mirror/put-back.ts',
        from: 'if (found && !isBeginning(found.bytes, copy.bytes)) return [];',
        to: '',
      },
      { file: 'store/mirror/put-back.ts', from: 'return wanted ? replace(', to: 'return false ? replace(' },
    ],
    behind,
  ),
  coding(
    'a copy takes over what was cut in the journal',
    [
      {
        file: 'store/mirror/mirror.ts',
        from: 'if (!found || (copied && copied.bytes.byteLength >= found.bytes.byteLength)) continue;',
        to: 'if (!found) continue;',
      },
    ],
    unseen,
  ),
  coding(
    'a copy forgets what is missing in the journal',
    [
      {
        file: 'store/mirror/mirror.ts',
        from: 'for (const segment of sealed) {',
        to: 'for (const gone of mirroredSegments(files, copies.folder)) if (!listSegments(journal).includes(gone)) files.remove(segmentPath(copies, gone));\n  for (const segment of sealed) {',
      },
    ],
    unseen,
  ),
  coding(
    'a copy of a segment is never finished',
    [{ file: 'store/mirror/mirror.ts', from: 'mirrored.bytes = end.bytes;', to: 'mirrored.bytes = end.bytes + 1;' }],
    unowned,
  ),
  coding(
    'what was never acknowledged stays when the state is put back',
    [
      {
        file: 'store/mirror/put-back.ts',
        from: 'const isOurs = end !== undefined && !isTakenOver(journal, end);',
        to: 'const isOurs = false;',
      },
      { file: 'store/mirror/guard.ts', from: 'if (end !== undefined && !mirror.endsAt(end)) throw cause;', to: '' },
    ],
    'a guarded loop on a disk that fails twice',
  ),
  coding(
    'what is put back stands nowhere for a moment',
    [
      {
        file: 'store/mirror/put-back.ts',
        from: 'createFileExclusively(files, `${file}.${files.uniqueName()}.broken`, found);',
        to: 'files.rename(file, `${file}.${files.uniqueName()}.broken`);',
      },
    ],
    'a guarded loop on a disk that fails twice',
  ),
  coding(
    'the next owner does not look at the copy of a journal that seems sound',
    [{ file: 'store/mirror/recover-with.ts', from: '&& !mirror.goesBeyond(first.recovery.end)', to: '' }],
    unowned,
  ),
  coding(
    'harm to the state is noticed and not put right',
    [
      {
        file: 'store/mirror/guard.ts',
        from: 'this.#loss ??= { end: this.open.position, cause: error };\n        if (tries > maxTries) throw error;',
        to: 'throw error;',
      },
    ],
    'an agent that deletes the state of its loop',
  ),
  coding(
    'a new loop takes the copy of an old one of its name for its own',
    [
      { file: 'store/loops.ts', from: 'mirror?.discard(); // of an earlier loop of this name', to: '' },
      {
        file: 'store/mirror/put-back.ts',
        from: 'if (found && !isBeginning(found.bytes, copy.bytes)) return [];',
        to: '',
      },
    ],
    'a loop of the same name as one that was deleted',
  ),
  coding(
    'the registry is removed before it is written',
    [
      {
        file: 'store/registry/registry-file.ts',
        from: '  writeFileDurably(files, file, Buffer.from(',
        to: '  if (look(files, file)) files.remove(file);\n  writeFileDurably(files, file, Buffer.from(',
      },
    ],
    'the list of loops is rewritten',
  ),
  coding(
    'a damaged registry is thrown away',
    [
      {
        file: 'store/registry/registry-file.ts',
        from: 'files.rename(file, `${file}.${files.uniqueName()}.broken`)',
        to: 'files.remove(file)',
      },
    ],
    'the list of loops is rewritten',
  ),
  coding(
    'a damaged registry cannot be replaced',
    [
      {
        file: 'store/registry/registry-file.ts',
        from: 'writing(file, () => files.rename(file, `${file}.${files.uniqueName()}.broken`));',
        to: 'return;',
      },
    ],
    'the list of loops is rewritten',
  ),
  coding(
    'pruning spares nothing but the newest names',
    [{ file: 'store/checkpoint/prune.ts', from: 'file !== needed && !unreadable', to: '!unreadable' }],
    'checkpoints that are pruned',
  ),
];
