import { type Failure, failures } from '../../../src/base/index.ts';
import { code, page, plain } from '../markdown.ts';

type Builder = (...details: unknown[]) => Failure;

/** Every failure with its permanent code, its exit code and its texts. */
export function errorsPage(): string {
  const samples = Object.values(failures as unknown as Record<string, Builder>).map(sample);
  return page(
    '# Errors',
    'Each error has a permanent code, says what happened and why, and names the next step. Words in angle brackets stand for what is filled in.',
    samples.toSorted((one, other) => (one.code < other.code ? -1 : 1)).map(section),
  );
}

function section(failure: Failure): string {
  const retry = failure.retry === undefined || failure.retry === 'never' ? '' : ' Trying again later can help.';
  return [
    `## ${code(failure.code)}`,
    `> ${plain(failure.message)}`,
    plain(failure.hint),
    `Exit code ${failure.exitCode}.${retry}`,
  ].join('\n\n');
}

/** A failure built from placeholders that are named after the builder's parameters. */
function sample(build: Builder): Failure {
  const names = parameterNames(build);
  const shapes = [(name: string) => `<${name}>`, (name: string) => [`<${name}>`], () => 0] as const;
  for (let attempt = 0; attempt < shapes.length ** names.length; attempt++) {
    try {
      return build(...names.map((name, index) => shapes[Math.floor(attempt / shapes.length ** index) % 3]?.(name)));
    } catch {
      // This parameter is not a text: try the next combination of shapes.
    }
  }
  throw new Error(`No placeholders fit the failure ${build.name}(${names.join(', ')}).`);
}

function parameterNames(build: Builder): readonly string[] {
  const list = /^\(([^)]*)\)/.exec(build.toString())?.[1] ?? '';
  return list
    .split(',')
    .map((part) => part.replace(/=.*/s, '').trim())
    .filter((name) => name !== '');
}
