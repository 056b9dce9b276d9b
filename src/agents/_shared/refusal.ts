const patterns = [
  /^error:/i,
  /^invalid (argument|option|value)/i,
  /cannot be used with root/i,
  /unknown (option|argument)/i,
];
const notTheUsersFault = /^\s+at .+:\d+:\d+|\b(?:ENOSPC|EIO|ENOMEM|EMFILE|EAGAIN|ECONN[A-Z]+|ETIMEDOUT|ENOTFOUND)\b/m;

/**
 * The line in which a program refuses to start as it was asked to: a bad option, a missing prompt, a session that is
 * not there. A program that crashed, or ran out of something, did not refuse.
 */
export function refusalToStart(stderr: string): string | undefined {
  if (notTheUsersFault.test(stderr)) return undefined;
  const lines = stderr.split('\n').map((line) => line.trim());
  return lines.find((line) => patterns.some((pattern) => pattern.test(line)));
}
