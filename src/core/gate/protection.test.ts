import fc from 'fast-check';
import { expect, test } from 'vitest';
import { noProtectedFiles } from '../state/gate.ts';
import { changed } from '../testing/facts.ts';
import { startedStory } from '../testing/story.ts';
import { addProtected, withoutOwnTests } from './protection.ts';

const touching = (paths: readonly string[], created: readonly string[] = []) =>
  changed(1, { protected: { changed: [...paths], created: [...created] } });

test('protected files that an iteration changed are listed for the rest of the loop', () => {
  const story = startedStory().run({ changes: touching(['test/a.js']) });
  story.advance();
  story.run({ changes: touching(['test/b.js', 'test/a.js']) });
  expect(story.loop.gate.protectedFiles.changed).toEqual(['test/a.js', 'test/b.js']);
});

test('the loop may change tests that it wrote itself', () => {
  const story = startedStory().run({ changes: touching([], ['test/new.js']) });
  const { protectedFiles } = story.loop.gate;
  expect(withoutOwnTests(touching(['test/new.js', 'test/old.js']), protectedFiles).protected?.changed).toEqual([
    'test/old.js',
  ]);
  expect(withoutOwnTests(touching(['test/new.js']), protectedFiles)).not.toHaveProperty('protected');
});

test('the lists of protected files are bounded, without duplicates, newest last', () => {
  const paths = fc.array(fc.constantFrom(...Array.from({ length: 900 }, (_, index) => `test/${index}.js`)), {
    maxLength: 300,
  });
  fc.assert(
    fc.property(fc.array(fc.tuple(paths, paths), { maxLength: 8 }), (iterations) => {
      const files = iterations.reduce(
        (known, [edited, created]) => addProtected(known, withoutOwnTests(touching(edited, created), known)),
        noProtectedFiles,
      );
      expect(files.changed.length).toBeLessThanOrEqual(100);
      expect(files.created.length).toBeLessThanOrEqual(500);
      expect(new Set(files.changed).size).toBe(files.changed.length);
    }),
  );
});
