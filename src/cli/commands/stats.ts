import { readLoopStatistics, readStatistics } from '../../app/index.ts';
import { scrub } from '../../base/index.ts';
import type { Statistics } from '../../core/index.ts';
import { iterationRows } from '../output/iteration-rows.ts';
import { jsonLine } from '../output/json-line.ts';
import { paintFor } from '../output/paint.ts';
import { widthOf } from '../output/plain.ts';
import { statisticsLines } from '../output/statistics-lines.ts';
import type { Invocation } from '../parse.ts';
import { placeFor } from '../place.ts';
import type { Surroundings } from '../surroundings.ts';
import { spentObject } from '../words/spent.ts';

/** `ralphd stats`: totals and averages over the loops of this project, or of one loop with its iterations. */
export async function statsCommand(invocation: Invocation, surroundings: Surroundings): Promise<number> {
  const place = await placeFor(invocation, surroundings);
  const { stdout, stderr } = surroundings;
  const canvas = { paint: paintFor(stdout), width: widthOf(stdout) };
  const asJson = invocation.options['json'] === true;
  const [query] = invocation.args;
  if (query !== undefined) {
    const { view, statistics, iterations } = readLoopStatistics(place, query);
    const loopId = view.loop.id;
    const lines = [...statisticsLines(loopId, statistics, canvas), ...iterationRows(iterations, canvas)];
    const object = { loopId, ...statisticsObject(statistics), newestIterations: iterations };
    stdout.write(asJson ? jsonLine(object) : `${lines.join('\n')}\n`);
    return 0;
  }
  const { statistics, unreadable } = readStatistics(place);
  const { total } = statistics.loops;
  if (asJson) {
    const broken = unreadable.map(({ loopId, error }) => ({ loopId, error: error.failure.code }));
    stdout.write(jsonLine({ ...statisticsObject(statistics), unreadable: broken }));
  } else if (total === 0 && unreadable.length === 0) {
    stderr.write('No loops here. Start one: ralphd run "TASK" --verify CMD\n');
  } else {
    const title = `${total} ${total === 1 ? 'loop' : 'loops'}`;
    stdout.write(`${statisticsLines(title, statistics, canvas).join('\n')}\n`);
  }
  for (const { loopId, error } of asJson ? [] : unreadable) {
    stderr.write(scrub(`${loopId} is left out: ${error.failure.message}\n`));
  }
  return 0;
}

function statisticsObject({ spent, ...statistics }: Statistics): Record<string, unknown> {
  return { ...statistics, spent: spentObject(spent) };
}
