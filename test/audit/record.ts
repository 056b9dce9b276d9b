import { createHash } from 'node:crypto';
import { appendFileSync, globSync, mkdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import type { Finding } from './hunt.ts';
import { root } from './names.ts';
import type { PlantedBug } from './planted-bug.ts';

/** Which bugs were caught in the same code before, so that an audit that was interrupted continues. */
export interface AuditRecord {
  wasCaught(bug: PlantedBug): boolean;
  add(finding: Finding): void;
}

export function openRecord(isFresh: boolean): AuditRecord {
  const folder = path.join(root, 'node_modules/.cache/ralphd-audit');
  const file = path.join(folder, `${digestOfCode()}.jsonl`);
  mkdirSync(folder, { recursive: true });
  const caught = new Set(isFresh ? [] : readCaught(file));
  return {
    wasCaught: ({ requirement, bug }) => caught.has(`${requirement} ${bug}`),
    add({ requirement, bug, result }) {
      if (result === 'caught') appendFileSync(file, `${JSON.stringify(`${requirement} ${bug}`)}\n`);
    },
  };
}

function readCaught(file: string): readonly string[] {
  try {
    return readFileSync(file, 'utf8')
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as string);
  } catch {
    return [];
  }
}

function digestOfCode(): string {
  const hash = createHash('sha256');
  for (const file of globSync(['src/**/*.ts', 'test/**/*.ts'], { cwd: root }).toSorted())
    hash.update(`${file}\n`).update(readFileSync(path.join(root, file)));
  return hash.digest('hex').slice(0, 16);
}
