const marker = /^\s*(?:[-*+] +)?(?:\*\*)?(?:\[PROGRESS\]|DONE:|Completed:)/u;
const fence = /^\s*(?:```|~~~)/u;
const maxMarkers = 100;

/** How many lines of an answer report progress in the agent's own words, outside code. They never prove any. */
export function countMarkers(text: string): number {
  let inCode = false;
  let found = 0;
  for (const line of text.split(/\r?\n/u)) {
    if (fence.test(line)) inCode = !inCode;
    else if (!inCode && marker.test(line)) found += 1;
  }
  return Math.min(found, maxMarkers);
}
