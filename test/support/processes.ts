import { readdirSync, readFileSync, readlinkSync } from 'node:fs';

/**
 * The ids of all processes related to a folder: they work in it, hold one of its files open, or
 * name it in their arguments or environment. Also finds processes that ralphd itself would not look for.
 */
export function processesAround(folder: string): readonly number[] {
  return readdirSync('/proc')
    .map(Number)
    .filter((pid) => Number.isInteger(pid) && pid !== process.pid && !isZombie(pid) && touches(pid, folder));
}

function touches(pid: number, folder: string): boolean {
  const place = `/proc/${pid}`;
  if (link(`${place}/cwd`).startsWith(folder)) return true;
  if (text(`${place}/cmdline`).includes(folder) || text(`${place}/environ`).includes(folder)) return true;
  return names(`${place}/fd`).some((name) => link(`${place}/fd/${name}`).startsWith(folder));
}

function isZombie(pid: number): boolean {
  const stat = text(`/proc/${pid}/stat`);
  return stat.slice(stat.lastIndexOf(')') + 2, stat.lastIndexOf(')') + 3) === 'Z';
}

// A process may end meanwhile, and those of other users cannot be read; both are ignored.
function lenient<Found>(look: () => Found, otherwise: Found): Found {
  try {
    return look();
  } catch {
    return otherwise;
  }
}

const text = (file: string) => lenient(() => readFileSync(file, 'latin1'), '');
const link = (file: string) => lenient(() => readlinkSync(file), '');
const names = (folder: string) => lenient(() => readdirSync(folder), []);
