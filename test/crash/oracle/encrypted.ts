import { openLoopFolders } from '../../../src/store/index.ts';
import { protectionWith, repeatableBytes, vaultWith, masterOf } from '../../../src/vault/testing/vaults.ts';
import { realSubject, type Subject } from './subject.ts';

/** The same store with all loops encrypted. Each call begins with the same "random" bytes, so that images repeat. */
export const encryptedSubject: Subject = {
  ...realSubject,
  openLoopFolders: (options) =>
    openLoopFolders({ ...options, protection: protectionWith(vaultWith(masterOf(), repeatableBytes())) }),
};
