/**
 * A session has two halves: a cookie that no script can read, and this key, which no other server on this machine gets,
 * because browsers share cookies between ports.
 */
const storedAs = 'ralphd-session-key';

/** What every request has to carry. */
export function sessionHeaders(): Readonly<Record<string, string>> {
  const key = localStorage.getItem(storedAs);
  return key === null ? {} : { 'x-ralphd-key': key };
}

/** Keeps the key of a new session. */
export function keepSessionKey(key: string): void {
  localStorage.setItem(storedAs, key);
}
