import fc from 'fast-check';
import { expect, test } from 'vitest';
import { replay } from '../../core/index.ts';
import { aiwgProblems, readForeignLoop } from '../../formats/index.ts';
import { exampleState } from '../../formats/testing/aiwg-example.ts';
import { foreignFixtures } from '../../formats/testing/foreign-fixtures.ts';
import type { RecordedFact } from '../../protocol/index.ts';
import { type ExportFormat, exportedDocument } from '../export-loop.ts';
import { startedFact } from '../testing/left-loop.ts';
import { importedFacts } from './imported-facts.ts';

const place = { workingDirectory: '/project', root: '/project/.ralph' };

/** What an export prints right after the import of a document. */
function thereAndBack(document: object, format: ExportFormat): unknown {
  return thereAndBackText(JSON.stringify(document), format);
}

function thereAndBackText(text: string, format: ExportFormat): unknown {
  const loop = readForeignLoop({ name: 'file', text });
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
const fixture = (name: string, state: 'running' | 'finished' = 'running') =>
  JSON.parse(foreignFixtures.find((each) => each.name === name)?.[state] ?? '') as object;
const tachikoma = fixture('tachikoma') as { readonly core: object };
const { pid: _also, ...finished } = fixture('aiwg', 'finished') as typeof exampleState;

test.each<readonly [string, ExportFormat, object]>([
  ['paused', 'aiwg-v2', resting],
  ['finished', 'aiwg-v2', finished],
  ['running', 'ultraplan', fixture('ultraplan')],
  ['finished', 'ultraplan', fixture('ultraplan', 'finished')],
  ['paused', 'tachikoma', { ...tachikoma, core: { ...tachikoma.core, status: 'paused' } }],
  ['finished', 'tachikoma', fixture('tachikoma', 'finished')],
])(
  'whatever unknown fields a document of a %s loop has, an export to %s after the import gives back all of it',
  (_state, format, document) => {
    fc.assert(
      fc.property(withUnknown(document), (source) => {
        const written = JSON.parse(JSON.stringify(source)) as object;
        expect(thereAndBack(written, format)).toEqual(written);
      }),
      { numRuns: 40 },
    );
  },
);

const others = foreignFixtures
  .filter(({ name }) => name.startsWith('aiwg-'))
  .flatMap(({ name, file, ...texts }) =>
    (['running', 'finished'] as const).map((state) => ({ name, file, state, text: texts[state] })),
  );

test.each(others)(
  'a dialect that is only read is kept whole in the extension of an AIWG export: $file, $state',
  ({ name, text }) => {
    fc.assert(
      fc.property(withUnknown(JSON.parse(text)), (source) => {
        const written = JSON.parse(JSON.stringify(source)) as object;
        expect(thereAndBack(written, 'aiwg-v2')).toMatchObject({ ralphd: { imported: { [name]: written } } });
      }),
      { numRuns: 20 },
    );
  },
);

test.each(foreignFixtures)('an AIWG export after the import of $file is a valid document', (fixture) => {
  // What AIWG itself wrote as null stays null.
  const reading = fixture.name === 'aiwg' ? 'nullable' : 'pure';
  for (const text of [fixture.running, fixture.finished]) {
    const exported: unknown = JSON.parse(JSON.stringify(thereAndBackText(text, 'aiwg-v2')));
    expect(aiwgProblems(exported, 'state', reading)).toEqual([]);
  }
});
