import { readFileSync, statSync } from 'node:fs';

/**
 * The sockets of services on this machine that have a name in the file system. Whoever sees one can connect to it, however its folder
 * is mounted, and some of these services start programs: those of editors, terminals and containers.
 */
export function servicePlaces(): readonly string[] {
  const lines = tableOfSockets().split('\n');
  const places = lines.map((line) => /^(?:\S+\s+){7}(\/.+)$/u.exec(line)?.[1]);
  return [...new Set(places.filter((place) => place !== undefined))].filter(isSocket);
}

function tableOfSockets(): string {
  try {
    return readFileSync('/proc/net/unix', 'utf8');
  } catch {
    return '';
  }
}

function isSocket(place: string): boolean {
  try {
    return statSync(place).isSocket();
  } catch {
    return false;
  }
}
