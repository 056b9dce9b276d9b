export type { KeyRecord } from './key-record.ts';
export { type KeySetting, type KeySource, keySources, readKeyFile } from './key-sources.ts';
export { findKeyring, type Keyring } from './keyring.ts';
export { createKeyText, type MasterKey, parseKeyText } from './master-key.ts';
export {
  createVault,
  type LockedLoop,
  type LoopLocation,
  type Vault,
  type VaultSetting,
  type Wanted,
} from './vault.ts';
