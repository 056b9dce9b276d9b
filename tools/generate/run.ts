import { mkdir, readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { commandsPage } from './pages/commands.ts';
import { configPage } from './pages/config.ts';
import { errorsPage } from './pages/errors.ts';
import { eventsPage } from './pages/events.ts';
import { recordingsPage } from './pages/recordings.ts';
import { requirementsPage } from './pages/requirements.ts';

/*
 * Writes the pages that are made from the code: `npm run docs`.
 *   npm run docs -- --check    write nothing, and fail when a page is stale
 */
const root = path.dirname(path.dirname(import.meta.dirname));
const onlyCheck = process.argv.includes('--check');

const pages: Record<string, () => string | Promise<string>> = {
  'docs/reference/commands.md': commandsPage,
  'docs/reference/config.md': configPage,
  'docs/reference/errors.md': errorsPage,
  'docs/reference/events.md': eventsPage,
  'docs/recordings.md': recordingsPage,
  'docs/requirements.md': () => requirementsPage(root),
};

const stale: string[] = [];
for (const [name, make] of Object.entries(pages)) {
  const file = path.join(root, name);
  const text = await make();
  const present = await readFile(file, 'utf8').catch(() => undefined);
  if (present === text) continue;
  stale.push(name);
  if (onlyCheck) continue;
  await mkdir(path.dirname(file), { recursive: true });
  await writeFile(file, text);
}

if (stale.length > 0) console.log(`${onlyCheck ? 'stale' : 'written'}: ${stale.join(', ')}`);
if (stale.length > 0 && onlyCheck) {
  console.log('Run "npm run docs" and commit what it writes.');
  process.exitCode = 1;
}
