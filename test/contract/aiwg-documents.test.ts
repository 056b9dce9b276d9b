import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { gunzipSync } from 'node:zlib';
import { Ajv2020 } from 'ajv/dist/2020.js';
import formats from 'ajv-formats';
import { expect, test } from 'vitest';
import { type AiwgKind, schemaOf } from '../../src/aiwg.ts';
import { runOf, writeCheck } from '../support/agents.ts';
import { createProject } from '../support/project.ts';
import { problemsOf } from './aiwg-v2.ts';

/** What a strict JSON Schema 2020-12 validator, which does not support `nullable`, reports about a document. */
function ajvProblems(kind: AiwgKind, document: unknown): readonly unknown[] {
  const text = JSON.stringify(schemaOf(kind), (key, value: unknown) => (key === 'nullable' ? undefined : value));
  const ajv = new Ajv2020({ strict: false, allErrors: true });
  formats.default(ajv);
  const validate = ajv.compile(JSON.parse(text) as object);
  return validate(document) ? [] : (validate.errors ?? []);
}

const kinds: readonly (readonly [RegExp, AiwgKind])[] = [
  [/registry\.json$/u, 'registry'],
  [/^loops\/[^/]+\/state\.json$/u, 'state'],
  [/checkpoints\/iteration-\d{3}\.json\.gz$/u, 'checkpoint'],
  [/analytics\/analytics\.json$/u, 'analytics'],
];

test('A172 A177 B083-B095: every document of whole loops in .aiwg/ralph is valid for a plain 2020-12 validator', async () => {
  const project = createProject();
  writeCheck(project);
  project.script('agent.sh', '[ -e work ] && touch done && echo "<promise>DONE</promise>"', 'echo more >> work');
  const shared = ['--state-dir', '.aiwg/ralph'];
  const paused = await project.ralphd(...runOf('-n', '1', '--on-limit', 'pause', ...shared));
  expect(paused.code).toBe(2);
  const done = await project.ralphd(...runOf('-n', '5', '--force', ...shared));
  expect(done.code).toBe(0);

  const root = path.join(project.folder, '.aiwg/ralph');
  const names = readdirSync(root, { recursive: true, encoding: 'utf8' });
  const seen = new Set<AiwgKind>();
  for (const name of names) {
    const [, kind] = kinds.find(([form]) => form.test(name)) ?? [];
    if (kind === undefined) continue;
    seen.add(kind);
    const bytes = readFileSync(path.join(root, name));
    const document = JSON.parse((name.endsWith('.gz') ? gunzipSync(bytes) : bytes).toString('utf8')) as unknown;
    expect(ajvProblems(kind, document), name).toEqual([]);
    if (kind === 'state') expect(problemsOf(document, 'pure'), name).toEqual([]);
    const validated = await project.ralphd('validate', path.join('.aiwg/ralph', name), '--pure');
    expect([validated.code, validated.stdout]).toEqual([
      0,
      expect.stringContaining(`a valid AIWG v2 ${kind} document`),
    ]);
  }
  expect([...seen].sort()).toEqual(['analytics', 'checkpoint', 'registry', 'state']);
});
