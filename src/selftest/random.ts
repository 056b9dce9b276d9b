/** Random choices that a seed repeats. */
export interface Random {
  /** A whole number from `min` to `max`, both included. */
  int(min: number, max: number): number;
}

/** Choices for one scenario: its name is part of the seed, so that they do not depend on which other scenarios run. */
export function createRandom(seed: number, name: string): Random {
  let state = seed >>> 0;
  for (const letter of name) state = Math.imul(state ^ letter.charCodeAt(0), 16777619) >>> 0;
  // The mulberry32 generator.
  const next = () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let word = Math.imul(state ^ (state >>> 15), state | 1);
    word ^= word + Math.imul(word ^ (word >>> 7), word | 61);
    return ((word ^ (word >>> 14)) >>> 0) / 2 ** 32;
  };
  return { int: (min, max) => min + Math.floor(next() * (max - min + 1)) };
}
