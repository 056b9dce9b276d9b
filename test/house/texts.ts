import { globSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { type Failure, failures } from '../../src/base/index.ts';

const root = path.resolve(import.meta.dirname, '../..');

/** A text and where it stands. */
export interface Text {
  readonly where: string;
  readonly text: string;
}

/** The product's source files, without tests and what only tests use. */
export function sourceFiles(...patterns: readonly string[]): readonly Text[] {
  return filesOf(...patterns).filter(({ where }) => !/\.test\.ts$|\/testing\//.test(where));
}

/** Every page that users read. */
export function pages(): readonly Text[] {
  return filesOf('README.md', 'CONTRIBUTING.md', 'SECURITY.md', 'docs/*.md', 'docs/reference/*.md');
}

/** The files that match, by their paths in the repository. */
export function filesOf(...patterns: readonly string[]): readonly Text[] {
  const files = patterns.flatMap((pattern) => globSync(pattern, { cwd: root }));
  return files.toSorted().map((where) => ({ where, text: readFileSync(path.join(root, where), 'utf8') }));
}

type Builder = (...details: unknown[]) => Failure;

/** Every failure, with placeholders for what is filled in: with all details, and without the last if that is optional. */
export function failureTexts(): readonly Text[] {
  return Object.entries(failures as unknown as Record<string, Builder>).flatMap(([where, build]) => {
    const details = Array.from({ length: build.length }, (_, index) => placeholder(`<${index}>`));
    const shorter = details.length > 1 ? textOf(() => build(...details.slice(0, -1))) : undefined;
    const text = textOf(() => build(...details)) ?? '';
    return shorter === undefined || shorter.includes('undefined')
      ? [{ where, text }]
      : [text, shorter].map((each) => ({ where, text: each }));
  });
}

function textOf(build: () => Failure): string | undefined {
  try {
    const { message, hint } = build();
    return `${message} ${hint}`;
  } catch {
    return undefined;
  }
}

/** Reads like the text, whether a text, a list or an object with a field is asked for. */
function placeholder(text: string): object {
  const get = (list: readonly string[], key: string | symbol): unknown =>
    key in list || typeof key === 'symbol' ? Reflect.get(list, key) : text;
  return new Proxy([text], { get });
}

/** A command line of ralphd that a text shows. */
export interface ShownCommand {
  readonly where: string;
  /** Everything after `ralphd `. */
  readonly line: string;
}

// In quotes, or after a colon with something that no sentence goes on with.
const shownInSentence = /"ralphd ([^"\n]+)["\n]|: ralphd ([a-z-]+(?= (?:[A-Z"$-]))[^'`\n]*)/g;

/** The command lines that sentences show. */
export function commandsInSentences({ where, text }: Text): readonly ShownCommand[] {
  return [...text.matchAll(shownInSentence)].map(([, quoted, named = '']) => ({ where, line: quoted ?? named }));
}

const shownOnPage = /`(?:npx )?ralphd ([^`\n]+)`|^(?:\$ )?(?:npx )?ralphd ((?:[a-z-]+(?: [A-Z"'$-].*)?|".*|-.*))$/gm;

/** The command lines that a page shows as code. */
export function commandsOnPage({ where, text }: Text): readonly ShownCommand[] {
  return [...text.matchAll(shownOnPage)].map(([, span, line = '']) => ({ where, line: span ?? line }));
}
