import fc from 'fast-check';
import { expect, test } from 'vitest';
import { replay } from '../../core/index.ts';
import { readForeignLoop } from '../../formats/index.ts';
import { exampleState } from '../../formats/testing/aiwg-example.ts';
import { foreignFixtures } from '../../formats/testing/foreign-fixtures.ts';
import type { RecordedFact } from '../../protocol/index.ts';
import { type ExportFormat, exportedDocument } from '../export-loop.ts';
import { startedFact } from '../testing/left-loop.ts';
import { importedFacts } from './imported-facts.ts';

const place = { workingDirectory: '/project', root: '/project/.ralph' };

/** What an export prints right after the import of a document. */
function thereAndBack(document: object, format: ExportFormat): unknown {
  const loop = readForeignLoop({ name: 'file', text: JSON.stringify(document) });
  const started = startedFact(place, 'ralph-fix-tests-a1b2c3d4', { task: loop.task });
  const facts = [started, ...importedFacts({ loop, digest: 'd' }, 'file')].map((fact, index) => ({
    ...fact,
    seq: index + 1,
    epoch: 1,
    at: '2026-11-18T08:00:00.000Z',
  })) as readonly RecordedFact[];
  const stored = JSON.parse(JSON.stringify(facts)) as readonly RecordedFact[];
  return exportedDocument(replay(stored), stored, { format });
}

const unknown = fc.dictionary(fc.stringMatching(/^x_[a-z]{1,6}$/u), fc.jsonValue({ maxDepth: 2 }), { maxKeys: 3 });

/** The same value with unknown fields in every mapping of it, at any depth. */
function withUnknown(value: unknown): fc.Arbitrary<unknown> {
  if (Array.isArray(value)) return fc.tuple(...value.map(withUnknown));
  if (typeof value !== 'object' || value === null) return fc.constant(value);
  // This one has a number for every condition, whatever its name.
  const entries = Object.entries(value).map(
    ([name, part]) => [name, name === 'condition_progress' ? fc.constant(part) : withUnknown(part)] as const,
  );
  return fc.tuple(fc.record(Object.fromEntries(entries)), unknown).map(([known, more]) => ({ ...more, ...known }));
}

const { pid: _pid, ...resting } = { ...exampleState, status: 'paused' };
const fixture = (name: string) =>
  JSON.parse(foreignFixtures.find((each) => each.name === name)?.running ?? '') as object;
const tachikoma = fixture('tachikoma') as { readonly core: object };

test.each<readonly [ExportFormat, object]>([
  ['aiwg-v2', resting],
  ['ultraplan', fixture('ultraplan')],
  ['tachikoma', { ...tachikoma, core: { ...tachikoma.core, status: 'paused' } }],
])(
  'whatever unknown fields a document of %s has, an export after the import gives back all of it',
  (format, document) => {
    fc.assert(
      fc.property(withUnknown(document), (source) => {
        const written = JSON.parse(JSON.stringify(source)) as object;
        expect(thereAndBack(written, format)).toEqual(written);
      }),
      { numRuns: 40 },
    );
  },
);

test('a document that is too large for a fact is not kept, and the loop is exported without it', () => {
  const document = { ...resting, x_log: 'x'.repeat(800_000) };
  expect(thereAndBack(document, 'aiwg-v2')).not.toHaveProperty('x_log');
});
