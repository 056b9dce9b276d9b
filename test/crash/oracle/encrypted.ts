import { openLoopFolders } from '../../../src/store/index.ts';
import { masterOf, protectionWith, repeatableBytes, vaultWith } from '../../../src/vault/testing/vaults.ts';
import { realSubject, type Subject } from './subject.ts';

/** The same store with all loops encrypted, with "random" bytes that are the same in every run. */
export function encryptedSubject(seed = 'encrypted'): Subject {
  const vault = vaultWith(masterOf(), repeatableBytes(seed));
  return {
    ...realSubject,
    openLoopFolders: (options) => openLoopFolders({ ...options, protection: protectionWith(vault) }),
    startedAnew: (life) => encryptedSubject(life),
  };
}
