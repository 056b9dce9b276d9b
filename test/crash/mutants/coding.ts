import { coding, type Mutant } from './mutant.ts';

/** Bugs in how the journal is written and read. */
const journal: readonly Mutant[] = [
  coding(
    'checksums of lines are not checked',
    [
      {
        file: 'store/journal/line.ts',
        from: 'crc === undefined || crc !== crcOf(line, before.crc)',
        to: 'crc === undefined',
      },
    ],
    'bit rot',
  ),
  coding(
    'a line is not chained to the one before',
    [
      { file: 'store/journal/line.ts', from: 'crc32(body, before.crc)', to: 'crc32(body)' },
      { file: 'store/journal/line.ts', from: 'crc !== crcOf(line, before.crc)', to: 'crc !== crcOf(line, 0)' },
    ],
    'bit rot',
  ),
  coding(
    'neither checksums nor numbers of lines are checked',
    [
      {
        file: 'store/journal/line.ts',
        from: 'crc === undefined || crc !== crcOf(line, before.crc)',
        to: 'crc === undefined',
      },
      { file: 'store/journal/line.ts', from: 'seq !== before.seq + 1', to: "typeof seq !== 'number'" },
    ],
    'bit rot',
  ),
  coding(
    'all lines of a batch get the same number',
    [{ file: 'store/journal/writer.ts', from: 'seq: link.seq + 1', to: 'seq: before.seq + 1' }],
    'batches of facts',
  ),
  coding(
    'a torn tail counts as accepted',
    [
      {
        file: 'store/journal/segment.ts',
        from: 'bytes: start.bytes + bytes, ...link',
        to: 'bytes: start.bytes + lines.byteLength, ...link',
      },
    ],
    'a failed sync, then on in a new segment',
  ),
  coding(
    'a takeover keeps the epoch',
    [
      {
        file: 'store/open-loop.ts',
        from: 'const epoch = Math.max(recovery.epoch + 1, takeover.epoch ?? 1);',
        to: 'const epoch = Math.max(1, recovery.epoch);',
      },
    ],
    'a second and a third owner',
  ),
  coding(
    'the epoch of lines is not checked and a stale owner may write',
    [
      { file: 'store/journal/scan.ts', from: ' || decoded.entry.epoch !== epoch', to: '' },
      {
        file: 'store/lock/acquire.ts',
        from: 'throw new LoopError(failures.ownershipLost(loopId, file));',
        to: 'return;',
      },
    ],
    'an owner that lost the loop and wakes up',
  ),
  coding(
    'the lock is not checked before an append',
    [{ file: 'store/lock/acquire.ts', from: 'if (!isSame(locked, look(files, file)))', to: 'if (false)' }],
    'an owner that lost the loop and wakes up',
  ),
  coding(
    'a new segment does not say what it follows',
    [
      {
        file: 'store/journal/writer.ts',
        from: 'previous: this.#end ?? null',
        to: 'previous: null',
      },
    ],
    'a second and a third owner',
  ),
  coding(
    'the end that the next owner accepted is ignored',
    [
      {
        file: 'store/journal/segment.ts',
        from: 'sealed ? lines.subarray(0, sealed.bytes - start.bytes) : lines',
        to: 'lines',
      },
      {
        file: 'store/journal/segment.ts',
        from: 'if (!isSamePosition(end, sealed)) return',
        to: 'if (end.seq < sealed.seq) return',
      },
    ],
    'a failed sync, then on in a new segment',
  ),
  coding(
    'late bytes are ignored without a word',
    [
      { file: 'store/journal/segment.ts', from: 'left > 0 ? [ignored(file, end, left)] : []', to: '[]' },
      {
        file: 'store/journal/segment.ts',
        from: "problems: rest === 'torn' ? [torn(file, left)] : []",
        to: 'problems: []',
      },
    ],
    'bit rot',
  ),
  coding(
    'the first line of a segment is not checked',
    [
      {
        file: 'store/journal/head.ts',
        from: "decoded.kind !== 'entry' || decoded.entry.type !== segmentOpened",
        to: 'false',
      },
      {
        file: 'store/journal/head.ts',
        from: 'const { epoch, data } = decoded.entry;',
        to: 'const { epoch, data } = JSON.parse(line.toString());',
      },
    ],
    'bit rot',
  ),
  coding(
    'the first lines of a segment are not synced',
    [
      {
        file: 'store/journal/writer.ts',
        from: 'files.syncData(file);\n    files.syncFolder(folder);',
        to: 'files.syncFolder(folder);',
      },
    ],
    'a new segment when one is full',
  ),
  coding(
    'after a failed write the same segment goes on',
    [
      {
        file: 'store/journal/writer.ts',
        from: 'this.close();\n      this.#degraded = true;\n      return this.#openSegment(facts);',
        to: 'writeAll(files, open.file, batch.bytes);\n      files.syncData(open.file);',
      },
    ],
    'a failed sync, then on in a new segment',
  ),
  coding(
    'only the first line of a batch is written',
    [
      {
        file: 'store/journal/writer.ts',
        from: 'writeAll(files, open.file, batch.bytes);',
        to: "writeAll(files, open.file, batch.bytes.subarray(0, batch.bytes.indexOf('\\n') + 1));",
      },
    ],
    'batches of facts',
  ),
];

/** Bugs in snapshots, takeovers and retention. */
const state: readonly Mutant[] = [
  coding(
    "a snapshot's checksum is not checked",
    [{ file: 'store/snapshot.ts', from: 'if (!isSound && ralphd.crc !== checksum(document))', to: 'if (false)' }],
    'bit rot',
  ),
  coding(
    'a snapshot counts as what was written, whatever its checksum says',
    [{ file: 'store/snapshot.ts', from: '=== sealOf(crc32(closing, crc32(text)))', to: "!== ''" }],
    'bit rot',
  ),
  coding(
    'a snapshot replaces the old one before it is read back',
    [
      {
        file: 'files/durable.ts',
        from: 'if (!readWhole(files, temporary, { limit: bytes.byteLength }).equals(bytes))',
        to: 'if (false)',
      },
    ],
    'a disk that garbles a snapshot',
  ),
  coding(
    'a snapshot says it holds less than it does',
    [
      {
        file: 'store/open-loop.ts',
        from: 'saveSnapshot(place, { document, position, compress })',
        to: 'saveSnapshot(place, { document, position: recovery.end ?? position, compress })',
      },
    ],
    'a second and a third owner',
  ),
  coding(
    'a journal that lost what the snapshot holds is not reported',
    [
      {
        file: 'store/journal/segment.ts',
        from: "problems: [{ kind: 'journal_behind', file, message }]",
        to: 'problems: []',
      },
    ],
    'bit rot',
  ),
  coding(
    'a snapshot of an owner that lost the loop is used',
    [
      {
        file: 'store/lock/acquire.ts',
        from: 'throw new LoopError(failures.ownershipLost(loopId, file));',
        to: 'return;',
      },
      {
        file: 'store/journal/chain.ts',
        from: "if (from && isOlder(segment, from.segment)) return 'off_chain';",
        to: '',
      },
    ],
    'an owner that lost the loop and wakes up',
  ),
  coding(
    'a damaged snapshot is overwritten',
    [{ file: 'store/open-loop.ts', from: 'if (recovery.hasBadSnapshot) putSnapshotAside(place, now());', to: '' }],
    'a damaged snapshot is put aside',
  ),
  coding(
    'what an interrupted write left becomes the state',
    [
      {
        file: 'store/put-aside.ts',
        from: 'if (ownTemporary.test(name)) quietly(() => files.remove(path.join(folder, name)));',
        to: "if (ownTemporary.test(name)) quietly(() => files.rename(path.join(folder, name), path.join(folder, 'state.json')));",
      },
    ],
    'snapshots between facts',
  ),
  coding(
    'a takeover vouches for bytes that were never synced',
    [
      { file: 'store/open-loop.ts', from: 'files.syncData(open);', to: '' },
      { file: 'store/open-loop.ts', from: 'if (hasOwnerNote(files, folder))', to: 'if (false)' },
    ],
    'an owner that dies in the middle of a write',
  ),
  coding(
    'a takeover syncs again what failed to sync',
    [{ file: 'store/open-loop.ts', from: 'if (hasOwnerNote(files, folder))', to: 'if (false)' }],
    'a disk that fails twice, an owner that leaves, another that comes',
  ),
  coding(
    'an owner that could not save leaves as if in good order',
    [{ file: 'store/open-loop.ts', from: '&& !isInDoubt', to: '' }],
    'a disk that fails twice, an owner that leaves, another that comes',
  ),
  coding(
    'a folder that is found counts as durable',
    [
      {
        file: 'files/folders.ts',
        from: "if (makeFolder(files, level) === 'found' && level !== root) syncName(files, level);",
        to: 'makeFolder(files, level);',
      },
    ],
    'failing calls: files of an attempt',
  ),
  coding(
    'a new folder counts as durable although the sync of its name failed',
    [
      {
        file: 'files/folders.ts',
        from: '    files.syncFolder(path.dirname(place));\n  });\n  noteSynced(files, place);',
        to: '    noteSynced(files, place);\n    files.syncFolder(path.dirname(place));\n  });',
      },
    ],
    'failing calls: commands in the inbox, two at once',
  ),
  coding(
    'a file that is made durable later is not, only its name is',
    [{ file: 'files/durable.ts', from: '      files.sync(file);\n    } finally {', to: '    } finally {' }],
    'files of an attempt',
  ),
  coding(
    'a file that is made durable later may lose its name',
    [
      {
        file: 'files/durable.ts',
        from: '    }\n    files.syncFolder(path.dirname(place));\n  });',
        to: '    }\n  });',
      },
    ],
    'files of an attempt',
  ),
  coding(
    'a folder that was created for an agent is never made durable',
    [
      {
        file: 'files/folders.ts',
        from: '    syncedNames.get(files)?.delete(level);',
        to: '    noteSynced(files, level);',
      },
    ],
    'failing calls: files of an attempt',
  ),
  coding('a making that was cut off twice cannot be taken up', [
    { file: 'store/recover.ts', from: 'return sizes.every(', to: 'return sizes.length <= 1 && sizes.every(' },
  ]),
  coding(
    'a loop whose journal was zeroed counts as new',
    [
      { file: 'store/recover.ts', from: 'return sizes.every((size) => size <= unbornBytes);', to: 'return true;' },
      {
        file: 'store/journal/strays.ts',
        from: 'if (bytes.byteLength === 0 || !chain.headless.includes(segment)) continue;',
        to: 'continue;',
      },
      {
        file: 'store/journal/strays.ts',
        from: "problems.push({ kind: 'torn_tail', file, message: `${file} has no sound line: its creation was interrupted.` });",
        to: '',
      },
    ],
    'bit rot',
  ),
];

/** Bugs in the store's own code. */
export const codingMutants: readonly Mutant[] = [...journal, ...state];
