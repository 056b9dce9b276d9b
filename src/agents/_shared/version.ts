import type { TriedVersions } from './adapter.ts';

/** The version in what a program prints when it is asked for it. */
export function versionIn(text: string): string | undefined {
  return /(?<![\d.])\d+\.\d+\.\d+(?![\d.])/.exec(text)?.[0];
}

/** Whether a version lies among those that were tried. */
export function isTried(version: string, [from, below]: TriedVersions): boolean {
  return compare(version, from) >= 0 && compare(version, below) < 0;
}

function compare(one: string, other: string): number {
  const others = other.split('.').map(Number);
  const differences = one.split('.').map((part, index) => Number(part) - (others[index] ?? 0));
  return differences.find((difference) => difference !== 0) ?? 0;
}
