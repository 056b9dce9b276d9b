/** A value in a template: what a variable, a helper or a literal gives. */
export type TemplateValue =
  | string
  | number
  | boolean
  | null
  | undefined
  | readonly TemplateValue[]
  | { readonly [name: string]: TemplateValue };

/** A copy of a value that holds nothing but data; throws if there is none. */
export function toTemplateValue(given: unknown): TemplateValue {
  if (typeof given !== 'object' || given === null) return isPlain(given) ? given : null;
  return JSON.parse(JSON.stringify(given)) as TemplateValue;
}

function isPlain(given: unknown): given is string | number | boolean {
  return (
    typeof given === 'string' || typeof given === 'boolean' || (typeof given === 'number' && Number.isFinite(given))
  );
}

/** A part of a directive that gives a value. */
export type Expression =
  | { readonly kind: 'literal'; readonly value: string | number | boolean }
  /** A name, and where to go from its value. */
  | { readonly kind: 'path'; readonly steps: readonly string[] }
  | { readonly kind: 'call'; readonly helper: string; readonly args: readonly Expression[] };

/** What is wrong with a directive. */
export class BadExpression extends Error {
  override readonly name = 'BadExpression';
}

const maxDepth = 20;
const maxTokens = 200;

// Each alternative begins with a different character, so that nothing is tried twice.
const token = /"[^"]*"|'[^']*'|[()]|[^\s()"']+/gu;
const numberForm = /^-?\d{1,15}(?:\.\d{1,15})?$/u;
const pathForm = /^@?[A-Za-z][A-Za-z0-9_]*(?:\.[A-Za-z0-9_]+)*$/u;
const helperForm = /^[A-Za-z][A-Za-z0-9_]*$/u;

/** Parses `name`, `a.b`, `"text"`, `7`, `true`, or a helper with its arguments; a call within a call is in parentheses. */
export function parseExpression(text: string): Expression {
  const tokens = text.match(token) ?? [];
  const isWhole = tokens.join('').replaceAll(/\s/gu, '') === text.replaceAll(/\s/gu, '');
  if (!isWhole) throw new BadExpression('it has a quotation mark without its counterpart');
  if (tokens.length > maxTokens) throw new BadExpression(`it has more than ${maxTokens} words`);
  const reader = { tokens, at: 0, depth: 0 };
  const parsed = readCall(reader);
  if (reader.at < tokens.length) throw new BadExpression(`"${tokens[reader.at]}" is one word too many`);
  return parsed;
}

/** The names of variables that an expression uses, and those of helpers. */
export function namesIn(expression: Expression): { readonly variables: string[]; readonly helpers: string[] } {
  switch (expression.kind) {
    case 'literal':
      return { variables: [], helpers: [] };
    case 'path':
      return { variables: expression.steps.slice(0, 1), helpers: [] };
    case 'call': {
      const inner = expression.args.map(namesIn);
      return {
        variables: inner.flatMap(({ variables }) => variables),
        helpers: [expression.helper, ...inner.flatMap(({ helpers }) => helpers)],
      };
    }
  }
}

interface Reader {
  readonly tokens: readonly string[];
  at: number;
  depth: number;
}

/** One value, or a helper and its arguments up to the end or the closing parenthesis. */
function readCall(reader: Reader): Expression {
  const first = reader.tokens[reader.at];
  if (first === undefined || first === ')') throw new BadExpression('it is empty');
  const next = reader.tokens[reader.at + 1];
  if (first === '(' || next === undefined || next === ')') return readValue(reader);
  if (!helperForm.test(first)) throw new BadExpression(`"${first}" is not the name of a helper`);
  reader.at += 1;
  const args: Expression[] = [];
  while (reader.at < reader.tokens.length && reader.tokens[reader.at] !== ')') args.push(readValue(reader));
  return { kind: 'call', helper: first, args };
}

function readValue(reader: Reader): Expression {
  const found = reader.tokens[reader.at] ?? '';
  reader.at += 1;
  if (found === '(') return readInParentheses(reader);
  if (found.startsWith('"') || found.startsWith("'")) return { kind: 'literal', value: found.slice(1, -1) };
  if (found === 'true' || found === 'false') return { kind: 'literal', value: found === 'true' };
  if (numberForm.test(found)) return { kind: 'literal', value: Number(found) };
  if (pathForm.test(found)) return { kind: 'path', steps: found.split('.') };
  throw new BadExpression(`"${found}" is not a name, a number or a text in quotation marks`);
}

function readInParentheses(reader: Reader): Expression {
  reader.depth += 1;
  if (reader.depth > maxDepth) throw new BadExpression(`it is nested more than ${maxDepth} levels deep`);
  const inner = readCall(reader);
  if (reader.tokens[reader.at] !== ')') throw new BadExpression('a parenthesis is not closed');
  reader.at += 1;
  reader.depth -= 1;
  return inner;
}
