import { readFileSync, writeFileSync } from 'node:fs';

/*
 * Loaded into a runner before anything else (`--import`): writes down at its end how much processor time it and its children
 * used, in milliseconds. Nothing in the runner knows of it.
 */
const { USAGE_FILE: file } = process.env;

if (file !== undefined) {
  delete process.env['USAGE_FILE'];
  process.on('exit', () => {
    const { user, system } = process.cpuUsage();
    writeFileSync(file, String((user + system) / 1_000 + childrenMs()));
  });
}

/** Processor time of children that have ended: the kernel counts it in hundredths of a second. */
function childrenMs(): number {
  const stat = readFileSync('/proc/self/stat', 'utf8');
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  return 10 * (Number(fields[13]) + Number(fields[14]));
}
