/** SHA-256 of a text, in hexadecimal digits, for commands that have no time to load `node:crypto`. Not for secrets. */
export function sha256(text: string): string {
  const primes = firstPrimes(64);
  const constants = primes.map((prime) => fractionOf(Math.cbrt(prime)));
  const words = paddedWords(new TextEncoder().encode(text));
  let hash: Words = primes.slice(0, 8).map((prime) => fractionOf(Math.sqrt(prime)));
  for (let at = 0; at < words.length; at += 16) hash = compress(hash, words.slice(at, at + 16), constants);
  return hash.map((word) => (word >>> 0).toString(16).padStart(8, '0')).join('');
}

type Words = readonly number[];

function firstPrimes(count: number): Words {
  const found: number[] = [];
  for (let number = 2; found.length < count; number += 1) {
    if (found.every((prime) => number % prime !== 0)) found.push(number);
  }
  return found;
}

/** The first 32 bits after the point. */
function fractionOf(root: number): number {
  return Math.floor((root % 1) * 2 ** 32) | 0;
}

/** The message in words of 32 bits, with the mark of its end and its length in bits. */
function paddedWords(bytes: Uint8Array): number[] {
  const blocks = Math.ceil((bytes.length + 9) / 64);
  const words = Array.from({ length: blocks * 16 }, () => 0);
  const put = (at: number, byte: number) => {
    words[at >> 2] = (words[at >> 2] ?? 0) | (byte << (24 - (at % 4) * 8));
  };
  for (const [at, byte] of bytes.entries()) put(at, byte);
  put(bytes.length, 0x80);
  words[words.length - 2] = Math.floor(bytes.length / 2 ** 29);
  words[words.length - 1] = bytes.length << 3;
  return words;
}

function compress(before: Words, block: Words, constants: Words): Words {
  const [a0 = 0, b0 = 0, c0 = 0, d0 = 0, e0 = 0, f0 = 0, g0 = 0, h0 = 0] = before;
  let [a, b, c, d, e, f, g, h] = [a0, b0, c0, d0, e0, f0, g0, h0];
  const schedule = [...block];
  for (let round = 0; round < 64; round += 1) {
    const word = (schedule[round] ??= nextWord(schedule, round));
    const choice = (e & f) ^ (~e & g);
    const majority = (a & b) ^ (a & c) ^ (b & c);
    const one = (h + (rotate(e, 6) ^ rotate(e, 11) ^ rotate(e, 25)) + choice + (constants[round] ?? 0) + word) | 0;
    const two = ((rotate(a, 2) ^ rotate(a, 13) ^ rotate(a, 22)) + majority) | 0;
    [a, b, c, d, e, f, g, h] = [(one + two) | 0, a, b, c, (d + one) | 0, e, f, g];
  }
  return [a0 + a, b0 + b, c0 + c, d0 + d, e0 + e, f0 + f, g0 + g, h0 + h].map((sum) => sum | 0);
}

function nextWord(schedule: Words, round: number): number {
  const at = (distance: number) => schedule[round - distance] ?? 0;
  const small = rotate(at(15), 7) ^ rotate(at(15), 18) ^ (at(15) >>> 3);
  const large = rotate(at(2), 17) ^ rotate(at(2), 19) ^ (at(2) >>> 10);
  return (at(16) + small + at(7) + large) | 0;
}

function rotate(word: number, by: number): number {
  return (word >>> by) | (word << (32 - by));
}
