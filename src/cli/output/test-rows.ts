import { measureName, type ShownLoop, stubbornText, summariseTests } from '../../core/index.ts';
import { oneLine } from './plain.ts';

const mostNames = 2;
const longestName = 60;

/** What the tests of a loop came to, and those that stand out, each in one line; nothing where none were counted. */
export function testRows(loop: ShownLoop): readonly (readonly [string, string | undefined])[] {
  const summary = summariseTests(loop);
  if (summary === undefined) return [];
  const { passed, total, skipped, framework, fixed, broken, flaky, stubborn } = summary;
  const isSteady = (name: string) => !flaky.includes(name);
  const left = skipped === 0 ? '' : `, ${skipped} skipped`;
  return [
    ['tests', `${passed} of ${total} passed${left} (${oneLine(framework)})`],
    ['fixed', names(fixed.filter(isSteady))],
    ['broken', names(broken.filter(isSteady))],
    ['flaky', names(flaky)],
    ['stubborn', some(stubborn.map(stubbornText), 1, (text) => oneLine(text, 160))],
  ];
}

/** The numbers that the gate gave last, in one line; nothing where it gave none. */
export function measuresText({ measures }: ShownLoop): string | undefined {
  const texts = measures.map((measure) => {
    const best = measure.value === measure.best ? '' : ` (at best ${measure.best})`;
    return `${oneLine(measureName(measure), 60)} ${measure.value}${best}`;
  });
  return some(texts, 4, (text) => text);
}

function names(all: readonly string[]): string | undefined {
  return some(all, mostNames, endOf);
}

/** The end of a name tells tests apart; its beginning is mostly the file. */
function endOf(name: string): string {
  const line = oneLine(name, name.length + 1);
  return line.length <= longestName ? line : `…${line.slice(1 - longestName).replace(/^[\udc00-\udfff]/, '')}`;
}

function some(all: readonly string[], most: number, show: (text: string) => string): string | undefined {
  if (all.length === 0) return undefined;
  const more = all.length - most;
  return `${all.slice(0, most).map(show).join(', ')}${more > 0 ? `, and ${more} more` : ''}`;
}
