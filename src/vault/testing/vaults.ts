import { createHash } from 'node:crypto';
import { type MasterKey, parseKeyText } from '../master-key.ts';
import { createVault, type Vault, type Wanted } from '../vault.ts';

/** A master key for tests: the same for the same number. */
export function masterOf(number = 1): MasterKey {
  const body = `ralphd-key-1.${Buffer.alloc(32, number).toString('base64url')}`;
  const check = createHash('sha256').update(body).digest('hex').slice(0, 8);
  return parseKeyText(`${body}.${check}`, { source: `key ${number}` });
}

/** Bytes that look random and are the same in every run. */
export function repeatableBytes(seed = 'seed'): (count: number) => Buffer {
  let calls = 0;
  return (count) => {
    calls += 1;
    const parts = Array.from({ length: Math.ceil(count / 32) }, (_, part) =>
      createHash('sha256').update(`${seed} ${calls} ${part}`).digest(),
    );
    return Buffer.concat(parts).subarray(0, count);
  };
}

/** A vault that has one master key, or none. */
export function vaultWith(master: MasterKey | undefined, randomBytes = repeatableBytes()): Vault {
  return createVault({ sources: () => [{ name: 'the test', read: () => master }], randomBytes });
}

/** How loops are encrypted in tests. */
export function wantedWith(master = masterOf()): Wanted {
  return { master, createdAt: '2026-11-16T10:00:00.000Z', clear: [], complete: true };
}

/** Protects all loops of a store, new ones included. */
export function protectionWith(vault: Vault, wanted = wantedWith()) {
  return {
    loopAt: vault.loopAt,
    newLoopAt: (location: Parameters<Vault['loopAt']>[0]) => vault.newLoopAt(location, wanted),
  };
}
