import { copyFile, readFile } from 'node:fs/promises';
import path from 'node:path';
import { committedReport, freshReport, surfaceChange } from './build/api-report.ts';

/*
 * Accepts the public surface of the library from the last build: `npm run api`.
 *   node tools/api-report.ts --check    write nothing, and fail if the surface is not the accepted one
 */
const root = path.dirname(import.meta.dirname);
const [fresh, committed] = [freshReport(root), committedReport(root)];

if (process.argv.includes('--check')) {
  const change = surfaceChange(await readFile(committed, 'utf8').catch(() => ''), await readFile(fresh, 'utf8'));
  for (const line of change) console.log(line);
  if (change.length > 0) process.exitCode = 1;
} else await copyFile(fresh, committed);
