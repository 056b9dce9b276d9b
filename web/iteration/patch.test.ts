import { expect, test } from 'vitest';
import { readPatch } from './patch.ts';

test('a patch is read file by file, with the numbers of both sides', () => {
  const patch = [
    'diff --git a/src/old name.ts b/src/new name.ts',
    'similarity index 90%',
    'rename from src/old name.ts',
    'rename to src/new name.ts',
    '--- a/src/old name.ts',
    '+++ b/src/new name.ts',
    '@@ -3,3 +3,4 @@ function main()',
    ' same',
    '---- looks like a header',
    '+++++ so does this',
    '+added',
    ' same',
    '\\ No newline at end of file',
    'diff --git a/image.png b/image.png',
    'Binary files a/image.png and b/image.png differ',
    '',
  ].join('\n');
  expect(readPatch(patch)).toEqual([
    {
      path: 'src/new name.ts',
      lines: [
        { kind: 'place', text: 'line 3 function main()' },
        { kind: 'same', text: 'same', before: 3, after: 3 },
        { kind: 'removed', text: '--- looks like a header', before: 4 },
        { kind: 'added', text: '++++ so does this', after: 4 },
        { kind: 'added', text: 'added', after: 5 },
        { kind: 'same', text: 'same', before: 5, after: 6 },
        { kind: 'note', text: '\\ No newline at end of file' },
      ],
    },
    { path: 'image.png', lines: [{ kind: 'note', text: 'Binary files a/image.png and b/image.png differ' }] },
  ]);
});

test('a file is named once, even if its name contains the marker', () => {
  const [file] = readPatch(
    'diff --git a/x b/y b/x b/y\nnew file mode 100644\n--- /dev/null\n+++ b/x b/y\n@@ -0,0 +1 @@\n+text\n',
  );
  expect(file).toEqual({
    path: 'x b/y',
    lines: [
      expect.objectContaining({ kind: 'note' }),
      { kind: 'place', text: 'line 1' },
      { kind: 'added', text: 'text', after: 1 },
    ],
  });
});
