const maxDepth = 100;
const quote = 0x22;
const backslash = 0x5c;

/** Whether JSON text nests deeper than anything we write; code that walks such a value could run out of stack. */
export function isTooDeep(text: Uint8Array): boolean {
  if (openings(text) <= maxDepth) return false;
  let depth = 0;
  let inString = false;
  for (let index = 0; index < text.byteLength; index += 1) {
    const byte = text[index];
    if (inString) {
      if (byte === backslash) index += 1;
      else if (byte === quote) inString = false;
    } else if (byte === quote) inString = true;
    else if (byte === 0x7b || byte === 0x5b) {
      depth += 1;
      if (depth > maxDepth) return true;
    } else if (byte === 0x7d || byte === 0x5d) depth -= 1;
  }
  return false;
}

/** How many arrays and objects open at most, counted up to one more than may be nested: most texts have fewer. */
function openings(text: Uint8Array): number {
  let count = 0;
  for (const bracket of [0x7b, 0x5b]) {
    for (let at = text.indexOf(bracket); at >= 0 && count <= maxDepth; at = text.indexOf(bracket, at + 1)) count += 1;
  }
  return count;
}
