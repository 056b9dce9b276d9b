import type { PlantedBug } from '../planted-bug.ts';

/** Bugs against what is kept on disk. */
export const stateBugs: readonly PlantedBug[] = [
  {
    requirement: 'A105',
    bug: 'the document lacks when it was saved',
    file: 'formats/tachikoma/document.ts',
    find: `    saved_at: savedAt,
`,
    replace: '',
    test: 'test/contract/tachikoma-document.test.ts',
  },
  {
    requirement: 'A106',
    bug: 'the document has another version',
    file: 'formats/tachikoma/document.ts',
    find: 'const tachikomaVersion = 1;',
    replace: 'const tachikomaVersion = 2;',
    test: 'test/contract/tachikoma-document.test.ts',
  },
  {
    requirement: 'A107',
    bug: 'a changed configuration does not show',
    file: 'formats/tachikoma/document.ts',
    find: 'config_hash: loop.configHash,',
    replace: "config_hash: 'hash',",
    test: 'test/contract/tachikoma-document.test.ts',
  },
  {
    requirement: 'A108',
    bug: 'an aborted loop is an error',
    file: 'formats/tachikoma/document.ts',
    find: `case 'aborted':
      return 'stopped';`,
    replace: `case 'aborted':
      return 'error';`,
    test: 'test/contract/tachikoma-document.test.ts',
  },
  {
    requirement: 'A109',
    bug: 'the session does not say since when it runs',
    file: 'formats/tachikoma/document.ts',
    find: 'session_started_at: session?.startedAt ?? null,',
    replace: 'session_started_at: null,',
    test: 'test/contract/tachikoma-document.test.ts',
  },
  {
    requirement: 'A110',
    bug: 'an ended session does not say why',
    file: 'formats/tachikoma/document.ts',
    find: `      end_reason: endReason,
`,
    replace: `      end_reason: '',
`,
    test: 'test/contract/tachikoma-document.test.ts',
  },
  {
    requirement: 'A111',
    bug: 'the objectives that are done are not distinguished',
    file: 'formats/tachikoma/document.ts',
    find: 'completed_objectives: objectives.filter((objective) => passed.has(objective)),',
    replace: 'completed_objectives: objectives,',
    test: 'test/contract/tachikoma-document.test.ts',
  },
  {
    requirement: 'A112',
    bug: 'flaky tests are not listed',
    file: 'formats/tachikoma/document.ts',
    find: 'flaky_tests: flakyTests(testMemory),',
    replace: 'flaky_tests: [],',
    test: 'test/contract/tachikoma-document.test.ts',
  },
  {
    requirement: 'A113',
    bug: 'stop rules do not say how near they are',
    file: 'formats/tachikoma/document.ts',
    find: 'condition_progress: Object.fromEntries(measured),',
    replace: 'condition_progress: {},',
    test: 'test/contract/tachikoma-document.test.ts',
  },
  {
    requirement: 'A114',
    bug: 'reboots are not counted',
    file: 'formats/tachikoma/document.ts',
    find: 'total_reboots: stats.reboots,',
    replace: 'total_reboots: 0,',
    test: 'test/contract/tachikoma-document.test.ts',
  },
  {
    requirement: 'A116',
    bug: 'state is kept although that is switched off',
    file: 'app/start-loop.ts',
    find: `  if (!config.persistence.enabled) {
    return`,
    replace: `  if (config.maxIterations < 0) {
    return`,
    test: 'test/e2e/persistence.test.ts',
  },
  {
    requirement: 'A117',
    bug: 'the snapshot of another loop is adopted',
    file: 'store/snapshot.ts',
    find: `  if (document.loop_id !== loopId) return damaged(\`it belongs to loop \${String(document.loop_id)}\`);
`,
    replace: '',
    test: 'src/store/snapshot.test.ts',
  },
  {
    requirement: 'A118',
    bug: 'a new loop is saved only after its first iteration',
    file: 'runner/recorder.ts',
    find: 'factCatalogue[type].saves)) await owned.save(loop);',
    replace: "factCatalogue[type].saves && type !== 'loop.started')) await owned.save(loop);",
    test: 'src/app/adapters/file-loop.test.ts',
  },
  {
    requirement: 'A119',
    bug: 'a document of a newer format is read',
    file: 'store/snapshot.ts',
    find: "  if (typeof format === 'number' && format > today) {",
    replace: "  if (typeof format === 'number' && format > today + 100) {",
    test: 'src/store/snapshot.test.ts',
  },
  {
    requirement: 'A120',
    bug: 'a snapshot is on one line',
    file: 'store/snapshot.ts',
    find: 'const text = JSON.stringify(plain, undefined, 2);',
    replace: 'const text = JSON.stringify(plain, undefined, 1);',
    test: 'src/store/snapshot.test.ts',
  },
  {
    requirement: 'A121',
    bug: 'a failed write does not say where',
    file: 'files/disk-errors.ts',
    find: 'failures.stateWriteFailed(path, reason(error))',
    replace: "failures.stateWriteFailed('', reason(error))",
    test: 'src/files/durable.test.ts',
  },
  {
    requirement: 'A122',
    bug: 'a missing state is backed up',
    file: 'store/backup/back-up.ts',
    find: `  if (lookSafely(files, file, 'file') === undefined) throw new LoopError(failures.noStateToBackup(loopId, file));
`,
    replace: '',
    test: 'src/store/backup/backup.test.ts',
  },
  {
    requirement: 'A123',
    bug: 'the newest backups go first',
    file: 'store/backup/back-up.ts',
    find: 'const excess = backups.slice(Math.max(1, maxBackups));',
    replace: 'const excess = backups.toReversed().slice(Math.max(1, maxBackups));',
    test: 'src/store/backup/backup.test.ts',
  },
  {
    requirement: 'A124',
    bug: 'a change is not saved',
    file: 'runner/recorder.ts',
    find: 'if (recorded.some(({ type }) => factCatalogue[type].saves)) await owned.save(loop);',
    replace: '',
    test: 'src/app/adapters/file-loop.test.ts',
  },
  {
    requirement: 'A125',
    bug: 'iterations of a session are not counted',
    file: 'formats/tachikoma/document.ts',
    find: 'session_iterations: session?.iterations ?? 0,',
    replace: 'session_iterations: session === undefined ? 0 : 1,',
    test: 'test/contract/tachikoma-document.test.ts',
  },
  {
    requirement: 'A126',
    bug: 'a heartbeat does not refresh the registry',
    file: 'app/adapters/views.ts',
    find: `      writeAnalytics();
      problems.attempt('The registry was not updated', registry.refresh);
`,
    replace: `      writeAnalytics();
`,
    test: 'src/app/adapters/file-loop.test.ts',
  },
  {
    requirement: 'A127',
    bug: 'a removed loop stays on disk',
    file: 'store/care/collect.ts',
    find: `  removeTree(files, removed);
}`,
    replace: '}',
    test: 'src/store/care/care.test.ts',
  },
  {
    requirement: 'A128',
    bug: 'the document shares its lists with the loop',
    file: 'formats/tachikoma/document.ts',
    find: 'modified_files: [...loop.handover.touchedFiles],',
    replace: 'modified_files: loop.handover.touchedFiles as string[],',
    test: 'test/contract/tachikoma-document.test.ts',
  },
  {
    requirement: 'A129',
    bug: 'a snapshot loses which configuration it was made with',
    file: 'formats/snapshot/stored-loop.ts',
    find: `    configHash,
    ...origin,
`,
    replace: `    configHash: '',
    ...origin,
`,
    test: 'test/contract/aiwg-document.test.ts',
  },
  {
    requirement: 'A130',
    bug: 'facts are acknowledged before they are on disk',
    file: 'store/journal/writer.ts',
    find: `      files.syncData(open.file);
`,
    replace: '',
    test: 'src/store/crash.test.ts',
  },
  {
    requirement: 'A131',
    bug: 'a new owner writes in the name of the one before',
    file: 'store/open-loop.ts',
    find: 'const epoch = Math.max(recovery.epoch + 1, takeover.epoch ?? 1);',
    replace: 'const epoch = Math.max(1, recovery.epoch);',
    test: 'src/store/loops.test.ts',
  },
  {
    requirement: 'A132',
    bug: 'the checksum of a snapshot is not checked',
    file: 'store/snapshot.ts',
    find: `  if (!isSound && ralphd.crc !== checksum(document)) return damaged('its checksum does not match its content');
`,
    replace: '',
    test: 'src/store/snapshot.test.ts',
  },
  {
    requirement: 'A133',
    bug: 'a running loop keeps one checkpoint only',
    file: 'store/checkpoint/prune.ts',
    find: 'const maxCheckpoints = 5;',
    replace: 'const maxCheckpoints = 1;',
    test: 'src/store/checkpoint/prune.test.ts',
  },
  {
    requirement: 'A134',
    bug: 'a restored journal has only what was backed up last',
    file: 'backup/pack.ts',
    find: 'return offset === 0 ? path :',
    replace: 'return offset >= 0 ? path :',
    test: 'src/backup/push.test.ts',
  },
  {
    requirement: 'A135',
    bug: 'a snapshot does not say where it is in the journal',
    file: 'store/snapshot.ts',
    find: 'journal: writePosition(position), crc: undefined',
    replace: 'crc: undefined',
    test: 'src/store/snapshot.test.ts',
  },
  {
    requirement: 'A136',
    bug: 'the old file is removed before the new one is in its place',
    file: 'files/durable.ts',
    find: `        throw new Error('the bytes read back differ from those written');
      }
`,
    replace: `        throw new Error('the bytes read back differ from those written');
      }
      quietly(() => files.remove(place));
`,
    test: 'src/files/durable.test.ts',
  },
  {
    requirement: 'A137',
    bug: 'a snapshot of a newer version is damaged instead of refused',
    file: 'store/snapshot.ts',
    find: "  if (typeof version === 'string' && Number(major) > 2) {",
    replace: "  if (typeof version === 'string' && Number(major) > 200) {",
    test: 'src/store/snapshot.test.ts',
  },
  {
    requirement: 'A138',
    bug: 'a backup has no date in its name',
    file: 'store/backup/names.ts',
    find: '.slice(0, 19)',
    replace: '.slice(0, 10)',
    test: 'src/store/backup/backup.test.ts',
  },
  {
    requirement: 'A139',
    bug: 'old backups stay',
    file: 'store/backup/back-up.ts',
    find: 'removed: removeOldBackups(place, options.maxBackups, file)',
    replace: 'removed: removeOldBackups(place, 1_000, file)',
    test: 'src/store/backup/backup.test.ts',
  },
  {
    requirement: 'A140',
    bug: 'the snapshot lags behind a change',
    file: 'runner/recorder.ts',
    find: `      for (const part of byIteration(recorded)) {
        for (const fact of part) loop = fold(loop, fact);
        observe?.(part, loop);
      }
      facts.publish(recorded);
      if (recorded.some(({ type }) => factCatalogue[type].saves)) await owned.save(loop);`,
    replace: `      const before = loop;
      for (const part of byIteration(recorded)) {
        for (const fact of part) loop = fold(loop, fact);
        observe?.(part, loop);
      }
      facts.publish(recorded);
      if (recorded.some(({ type }) => factCatalogue[type].saves)) await owned.save(before);`,
    test: 'src/app/adapters/file-loop.test.ts',
  },
  {
    requirement: 'A141',
    bug: 'a torn tail counts as accepted',
    file: 'store/journal/segment.ts',
    find: 'bytes: start.bytes + bytes, ...link',
    replace: 'bytes: start.bytes + lines.byteLength, ...link',
    test: 'src/store/crash.test.ts',
  },
  {
    requirement: 'A142',
    bug: 'half a removed loop is not found later',
    file: 'store/care/collect.ts',
    find: "return empty === '' && isLoopId(loopId) && last === 'removed';",
    replace: "return false && empty === '' && isLoopId(loopId) && last === 'removed';",
    test: 'src/store/care/care.test.ts',
  },
  {
    requirement: 'A115',
    bug: 'the state of a loop is never compressed',
    file: 'store/snapshot.ts',
    find: 'compress ? pack(bytes, maxSnapshotBytes) : bytes',
    replace: 'bytes',
    test: 'src/store/snapshot.test.ts',
  },
  {
    requirement: 'A115',
    bug: 'a compressed state is taken for damaged',
    file: 'store/snapshot.ts',
    find: '  const bytes = unpack(stored, maxSnapshotBytes);\n  if (bytes === undefined) return damaged',
    replace: '  const bytes = stored;\n  if (bytes === undefined) return damaged',
    test: 'src/store/snapshot.test.ts',
  },
];
