/** The nonces for one key: each is given once, whether or not what it seals reaches the disk. */
export interface Nonces {
  next(): { readonly n: number; readonly nonce: Buffer };
}

/** Counts from 0. A key must have one counter only, so a new file gets a new key. */
export function createNonces(): Nonces {
  let count = 0;
  return {
    next() {
      const n = count;
      if (n >= Number.MAX_SAFE_INTEGER) throw new RangeError('This key has been used too often.');
      count += 1;
      return { n, nonce: nonceOf(n) };
    },
  };
}

/** The nonce with a number. */
export function nonceOf(n: number): Buffer {
  const nonce = Buffer.alloc(12);
  nonce.writeUInt32BE(Math.floor(n / 2 ** 32), 4);
  nonce.writeUInt32BE(n % 2 ** 32, 8);
  return nonce;
}
