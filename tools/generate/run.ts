import { mkdir, readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { commandsPage } from './pages/commands.ts';
import { configPage } from './pages/config.ts';
import { errorsPage } from './pages/errors.ts';
import { eventsPage } from './pages/events.ts';
import { corePicture, housePicture } from './pages/house.ts';
import { recordingsPage } from './pages/recordings.ts';
import { requirementsPage } from './pages/requirements.ts';
import { snapshotPage } from './pages/snapshot.ts';
import { configTypes } from './types/config-types.ts';
import { factData, factShapes } from './types/fact-types.ts';

/*
 * Generates pages and types from the code: `npm run docs`.
 *   npm run docs -- --check    write nothing, and fail when a page is stale
 */
const root = path.dirname(path.dirname(import.meta.dirname));
const onlyCheck = process.argv.includes('--check');

const pages: Record<string, (file: string) => string | Promise<string>> = {
  'docs/images/house.svg': () => housePicture(root),
  'docs/images/core.svg': () => corePicture(root),
  'docs/reference/commands.md': commandsPage,
  'docs/reference/config.md': configPage,
  'docs/reference/errors.md': errorsPage,
  'docs/reference/events.md': eventsPage,
  'docs/reference/snapshot.md': snapshotPage,
  'docs/recordings.md': recordingsPage,
  'src/protocol/config/loop-config.ts': (file) => configTypes('output', file),
  'src/protocol/config/loop-config-input.ts': (file) => configTypes('input', file),
  'src/protocol/facts/fact-data.ts': factData,
  'src/protocol/facts/fact-shapes.ts': factShapes,
  'docs/requirements.md': () => requirementsPage(root),
};

const stale: string[] = [];
for (const [name, make] of Object.entries(pages)) {
  const file = path.join(root, name);
  const text = await make(name);
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
