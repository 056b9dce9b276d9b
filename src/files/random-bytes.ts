/** Cryptographically random bytes. The module is loaded on first use, because reading loops never needs it. */
export function randomBytes(count: number): Buffer {
  return process.getBuiltinModule('node:crypto').randomBytes(count);
}
