import { copyFile, readFile } from 'node:fs/promises';
import path from 'node:path';
import { committedReport, freshReport, surfaceChange } from './build/api-report.ts';
import { surfaces } from './build/surfaces.ts';

/*
 * Accepts the public surface of the library from the last build: `npm run api`.
 *   node tools/api-report.ts --check    write nothing, and fail if the surface is not the accepted one
 */
const root = path.dirname(import.meta.dirname);

for (const surface of surfaces) {
  const [fresh, committed] = [freshReport(root, surface), committedReport(root, surface)];
  if (!process.argv.includes('--check')) {
    await copyFile(fresh, committed);
    continue;
  }
  const texts = { committed: await readFile(committed, 'utf8').catch(() => ''), fresh: await readFile(fresh, 'utf8') };
  const change = surfaceChange({ surface, ...texts });
  for (const line of change) console.log(line);
  if (change.length > 0) process.exitCode = 1;
}
