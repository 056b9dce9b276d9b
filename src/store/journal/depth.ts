const maxDepth = 100;
const quote = 0x22;
const backslash = 0x5c;

/** Whether JSON text nests deeper than anything we write; code that walks such a value could run out of stack. */
export function isTooDeep(text: Uint8Array): boolean {
  if (text.byteLength <= maxDepth) return false;
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
