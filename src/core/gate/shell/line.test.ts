import fc from 'fast-check';
import { expect, test } from 'vitest';
import { parseShell } from './line.ts';
import type { Command, Script } from './tree.ts';

/** A tree as a short text: words in brackets, structure around them. */
function shown(script: Script): string {
  return script.items
    .map((item) => {
      const pipelines = [{ operator: '', pipeline: item.first }, ...item.rest].map(
        ({ operator, pipeline: { isNegated, stages } }) =>
          `${operator}${isNegated ? '!' : ''}${stages.map(shownCommand).join('|')}`,
      );
      return pipelines.join('') + (item.isBackground ? '&' : '');
    })
    .join(';');
}

function shownCommand(command: Command): string {
  switch (command.kind) {
    case 'simple': {
      const inside = command.words.flatMap(({ substitutions }) => substitutions.map((each) => `$(${shown(each)})`));
      const to = command.redirections.map(({ operator, target }) => `${operator}${target.text}`);
      return `[${[...command.assignments, ...command.words].map(({ text }) => text).join(' ')}]${inside.join('')}${to.join('')}`;
    }
    case 'group':
      return command.isSubshell ? `(${shown(command.body)})` : `{${shown(command.body)}}`;
    case 'if': {
      const branches = command.branches.map(({ condition, body }) => `${shown(condition)}?${shown(body)}`);
      return `if<${branches.join('/')}${command.otherwise === undefined ? '' : `:${shown(command.otherwise)}`}>`;
    }
    case 'loop':
      return `${command.keyword}<${command.condition === undefined ? '' : `${shown(command.condition)}?`}${shown(command.body)}>`;
    case 'case':
      return `case<${command.bodies.map(shown).join('/')}>`;
    case 'function':
      return `${command.name}()${shownCommand(command.body)}`;
    case 'arithmetic':
      return `((${command.text}))`;
  }
}

test.each<[string, string]>([
  ['npm test', '[npm test]'],
  ['npm   test # all of them', '[npm test]'],
  ['echo a#b', '[echo a#b]'],
  ['a && b || c; d & e', '[a]&&[b]||[c];[d]&;[e]'],
  ['a | b |& c', '[a]|[b]|[c]'],
  ['! a | b', '![a]|[b]'],
  ['time -p a', '[a]'],
  ['a\nb\n\nc', '[a];[b];[c]'],
  ['a \\\n  b', '[a b]'],
  [`echo "a b" 'c "d' e\\ f`, '[echo a b c "d e f]'],
  ['echo "a \\" b"', '[echo a " b]'],
  ["echo $'it\\'s'", "[echo it\\'s]"],
  ['A=1 B="x y" npm test', '[A=1 B=x y npm test]'],
  ['a > log 2>&1 < in', '[a]>log2>&1<in'],
  ['a &> log && b >>log', '[a]&>log&&[b]>>log'],
  ['echo $(a; b) `c | d`', '[echo $(a; b) `c | d`]$([a];[b])$([c]|[d])'],
  ['echo "$(a "$(b)")"', '[echo $(a "$(b)")]$([a $(b)]$([b]))'],
  ['echo $((1 + (2)))', '[echo $((1 + (2)))]'],
  ['diff <(a) b', '[diff <(a) b]$([a])'],
  ['(a; b) > log', '([a];[b])'],
  ['{ a; b; } | c', '{[a];[b]}|[c]'],
  ['if a; then b; elif c; then d; else e; fi', 'if<[a]?[b]/[c]?[d]:[e]>'],
  ['if a\nthen\n b\nfi && c', 'if<[a]?[b]>&&[c]'],
  ['for f in *.js; do node "$f"; done', 'for<[node $f]>'],
  ['for ((i=0;i<3;i++)); do a; done', 'for<[a]>'],
  ['while read -r f; do a; done < list', 'while<[read -r f]?[a]>'],
  ['until a; do b; done', 'until<[a]?[b]>'],
  ['case $x in a|b) c;; *) d; e ;; esac', 'case<[c]/[d];[e]>'],
  ['f() { a; }; f', 'f(){[a]};[f]'],
  ['function f { a; }; f', 'f(){[a]};[f]'],
  ['[[ $a == b && -f c ]] && d', '[[[ $a == b && -f c ]]]&&[d]'],
  ['(( x > 1 )) || a', '(( x > 1 ))||[a]'],
  ['cat <<EOF && b\nnpm test || true\nEOF\nc', '[cat]<<EOF&&[b];[c]'],
  ['cat <<-"E"\n\tx\n\tE\nc', '[cat]<<-E;[c]'],
  ['a=(1 2); b ${x:-"}"}', '[a=(1 2)];[b ${x:-"}"}]'],
  ['echo if then fi', '[echo if then fi]'],
  ['find . -exec a {} \\;', '[find . -exec a {} ;]'],
])('%j is parsed as %s', (line, tree) => {
  const { script, isComplete } = parseShell(line);
  expect(shown(script)).toBe(tree);
  expect(isComplete).toBe(true);
});

test.each([
  'echo "a',
  "echo 'a",
  'echo $(a',
  'echo `a',
  '(a',
  '{ a;',
  'if a; then b',
  'a && ',
  '| a',
  'a; fi',
  'a )',
  'cat <<E\nx',
  '${a',
])('%j is reported as not fully understood', (line) => {
  expect(parseShell(line).isComplete).toBe(false);
});

test('a part that is not understood hides nothing after it', () => {
  expect(shown(parseShell('fi; a ) b').script)).toBe('[];[a];[b]');
  expect(shown(parseShell('( if a; then b ) ; c').script)).toBe('(if<[a]?[b]>);[c]');
});

const pieces = fc.constantFrom(
  ...'a|b|if|then|else|fi|for|do|done|while|case|in|esac|{|}|(|)|((|))|[[|]]|!|;|;;|&|&&|>|<|<<E|E|"|\'|`|\\|$(|${|$((|=|x=|#'.split(
    '|',
  ),
  '|',
  '||',
  '\n',
  ' ',
);

test('any text is parsed without throwing, with every span inside it and no more words than characters', () => {
  const spans = (script: Script): readonly number[] => script.items.flatMap(({ start, end }) => [start, end]);
  fc.assert(
    fc.property(
      fc.oneof(
        fc.string(),
        fc.array(pieces, { maxLength: 60 }).map((parts) => parts.join(' ')),
        fc.array(pieces, { maxLength: 60 }).map((parts) => parts.join('')),
      ),
      (line) => {
        const { script } = parseShell(line);
        for (const place of spans(script)) expect(place >= 0 && place <= line.length).toBe(true);
        expect(script.items.length).toBeLessThanOrEqual(line.length);
      },
    ),
    { numRuns: 3_000 },
  );
});

test.each([
  '(',
  '$(',
  '{ ',
  '`',
  '"$(',
  'if ',
  'a;',
  '$((',
  '((',
  '<(',
  'f() ',
  '<<E\n',
  'case a in ',
  '! ',
  '&& ',
  ') ',
  '"',
])('a hundred thousand repetitions of %j are parsed to the end', (piece) => {
  expect(() => parseShell(piece.repeat(100_000))).not.toThrow();
});
