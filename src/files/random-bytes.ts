/** Bytes that nobody can foresee. The module for them is loaded on first use: reading loops never needs it. */
export function randomBytes(count: number): Buffer {
  return process.getBuiltinModule('node:crypto').randomBytes(count);
}
