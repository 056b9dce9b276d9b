export { type CareFiles, type CloseInfo, nodeCareFiles } from './care-files.ts';
export { errorCode, quietly, reading, reasonOf, writing } from './disk-errors.ts';
export { createDocument } from './document.ts';
export {
  createFileExclusively,
  placeFile,
  placeNewFile,
  readIfThere,
  readStart,
  readWhole,
  settleFile,
  writeAll,
  writeFileDurably,
} from './durable.ts';
export { createExactReader, type ExactReader } from './exact-reader.ts';
export { extendFile, removeFileAt } from './extend-file.ts';
export { type FileInfo, type FilePort, type OpenFile } from './file-port.ts';
export {
  canWriteIn,
  hasFolder,
  look,
  lookInProject,
  lookSafely,
  makeFolders,
  makeRoot,
  placeFolders,
} from './folders.ts';
export { listForeignFolder, lookAtForeign, readForeignFile, resolveForeignFile } from './foreign-file.ts';
export { type GrowingFile, openGrowingFile } from './growing-file.ts';
export { compress, expand, pack, unpack } from './gzip.ts';
export { appendToRotated, type LogBounds, moveLog, openLog, type Rotation, trimLog } from './log-file.ts';
export { nodeFiles } from './node-files.ts';
export {
  createWholeFile,
  kindAt,
  listNames,
  makeFoldersBelow,
  readChunks,
  readWholeFile,
  removeFile,
} from './object-files.ts';
export {
  ensureFile,
  ensureFolder,
  moveAside,
  putText,
  removeEmptyFolder,
  removeLink,
  takeText,
} from './own-places.ts';
export { randomBytes } from './random-bytes.ts';
export { readEnd } from './read-end.ts';
export { releaseReaders } from './release-readers.ts';
export {
  copyRoomFile,
  makePrivateFolder,
  makeRoomFolder,
  putRoomFile,
  putRoomLink,
  removeRoomEntry,
  setRoomMode,
} from './room-files.ts';
export { createStagingFolder, type StagingFolder } from './staging.ts';
export { createTemporaryFolder, linkFolder, removeTemporaryFolders } from './temporary-folder.ts';
export { appendToUserFile, listUserFiles, putUserFile, readUserFile, removeUserFile } from './user-files.ts';
export { watchChanges, watchFolder } from './watch-folder.ts';
