import { measureName, type ShownLoop, stubbornText, summariseTests } from '../../core/index.ts';
import { oneLine } from './plain.ts';

const mostNames = 3;

/** What the tests of a loop came to, and those that stand out, each in one line; nothing where none were counted. */
export function testRows(loop: ShownLoop): readonly (readonly [string, string | undefined])[] {
  const summary = summariseTests(loop);
  if (summary === undefined) return [];
  const { passed, total, skipped, framework, fixed, broken, flaky, stubborn } = summary;
  const left = skipped === 0 ? '' : `, ${skipped} skipped`;
  return [
    ['tests', `${passed} of ${total} passed${left} (${oneLine(framework)})`],
    ['fixed', names(fixed)],
    ['broken', names(broken)],
    ['flaky', names(flaky)],
    ['stubborn', names(stubborn.map(stubbornText), 1)],
  ];
}

/** The numbers that the gate gave last, in one line; nothing where it gave none. */
export function measuresText({ measures }: ShownLoop): string | undefined {
  const texts = measures.map((measure) => {
    const best = measure.value === measure.best ? '' : ` (at best ${measure.best})`;
    return `${oneLine(measureName(measure), 60)} ${measure.value}${best}`;
  });
  return names(texts);
}

function names(all: readonly string[], most = mostNames): string | undefined {
  if (all.length === 0) return undefined;
  const more = all.length - most;
  const shown = all.slice(0, most).map((name) => oneLine(name, most === 1 ? 120 : 60));
  return `${shown.join(', ')}${more > 0 ? `, and ${more} more` : ''}`;
}
