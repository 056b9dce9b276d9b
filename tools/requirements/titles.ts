import ts from 'typescript';
import { readNumbers, splitTitle } from './numbers.ts';

/** A test that names requirements, in its own title or in that of a group around it. */
export interface NumberedTest {
  readonly numbers: readonly string[];
  /** The titles of its groups and its own, without the numbers. */
  readonly words: string;
  /** The same as the test runner writes it, up to the first value that is filled in at run time. */
  readonly prefix: string;
}

/** The tests of one file that name requirements, and the texts that look like such a title but are none. */
export interface TitlesOfFile {
  readonly tests: readonly NumberedTest[];
  readonly strays: readonly string[];
}

interface Title {
  readonly text: string;
  readonly prefix: string;
}

const testWords = new Set(['test', 'it']);

/** Reads titles from the syntax tree, so that no way of writing a test (tables, templates, groups) hides one. */
export function titlesIn(file: string, source: string): TitlesOfFile {
  const tests: NumberedTest[] = [];
  const used = new Set<ts.Node>();
  const strays: string[] = [];
  const tree = ts.createSourceFile(file, source, ts.ScriptTarget.Latest, false);

  visit(tree, []);
  return { tests, strays };

  function visit(node: ts.Node, groups: readonly Title[]): void {
    if (ts.isCallExpression(node)) {
      const titled = findTitle(node);
      if (titled) used.add(titled.argument);
      if (titled?.isGroup) {
        ts.forEachChild(node, (child) => visit(child, [...groups, titled.title]));
        return;
      }
      if (titled) add([...groups, titled.title]);
    }
    if (ts.isObjectLiteralExpression(node)) addCase(node);
    if (isRule(node)) {
      used.add(node.initializer);
      add([{ text: node.initializer.text, prefix: node.initializer.text }]);
    }
    const text = titleOf(node)?.text;
    if (text !== undefined && !used.has(node) && splitTitle(text) !== undefined) strays.push(text);
    ts.forEachChild(node, (child) => visit(child, groups));
  }

  function add(titles: readonly Title[]): void {
    const parts = titles.map(({ text }) => splitTitle(text) ?? { numbers: [], words: text });
    const numbers = [...new Set(parts.flatMap((part) => part.numbers))];
    if (numbers.length === 0) return;
    tests.push({ numbers, words: parts.map(({ words }) => words).join(': '), prefix: prefixOf(titles) });
  }

  // The cases that are played with real agents are rows of a table.
  function addCase(node: ts.ObjectLiteralExpression): void {
    const [shows, row] = ['shows', 'row'].map((name) => propertyOf(node, name));
    if (shows === undefined || row === undefined) return;
    tests.push({ numbers: readNumbers(shows), words: row, prefix: `${shows}: ${row}` });
  }
}

/** A rule of the simulation that is written as a row. */
function isRule(node: ts.Node): node is ts.PropertyAssignment & { readonly initializer: ts.StringLiteral } {
  return (
    ts.isPropertyAssignment(node) &&
    ts.isIdentifier(node.name) &&
    node.name.text === 'rule' &&
    ts.isStringLiteral(node.initializer)
  );
}

/**
 * The title in a call: the first argument of a test or a group; in a call of anything else (a test under conditions, a rule
 * of the simulation) the argument that begins with numbers.
 */
function findTitle({ expression, arguments: values }: ts.CallExpression) {
  const word = wordOf(expression);
  const isGroup = word === 'describe';
  for (const argument of isGroup || testWords.has(word) ? values.slice(0, 1) : values) {
    const title = titleOf(argument);
    if (title && (isGroup || testWords.has(word) || splitTitle(title.text))) return { argument, title, isGroup };
  }
  return undefined;
}

function wordOf(callee: ts.Expression): string {
  if (ts.isIdentifier(callee)) return callee.text;
  if (ts.isPropertyAccessExpression(callee) || ts.isCallExpression(callee)) return wordOf(callee.expression);
  return ts.isTaggedTemplateExpression(callee) ? wordOf(callee.tag) : '';
}

function titleOf(node: ts.Node): Title | undefined {
  if (ts.isStringLiteral(node) || ts.isNoSubstitutionTemplateLiteral(node)) {
    const [prefix = ''] = node.text.split(/%[a-zA-Z]|\$\w/, 1);
    return { text: node.text, prefix };
  }
  if (!ts.isTemplateExpression(node)) return undefined;
  return {
    text: node.head.text + node.templateSpans.map(({ literal }) => `…${literal.text}`).join(''),
    prefix: node.head.text,
  };
}

function prefixOf(titles: readonly Title[]): string {
  const filledIn = titles.findIndex(({ text, prefix }) => text !== prefix);
  const known = filledIn === -1 ? titles : titles.slice(0, filledIn + 1);
  return known.map(({ prefix }) => prefix).join(' ');
}

function propertyOf(node: ts.ObjectLiteralExpression, name: string): string | undefined {
  const property = node.properties.find((each) => each.name && ts.isIdentifier(each.name) && each.name.text === name);
  if (property === undefined || !ts.isPropertyAssignment(property)) return undefined;
  return titleOf(property.initializer)?.text;
}
