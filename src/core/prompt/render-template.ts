import { failures, LoopError } from '../../base/index.ts';
import { type Expression, type TemplateValue, toTemplateValue } from './expression.ts';
import { isMissing, isTrue, type TemplateHelper, templateHelpers, textOf } from './template-functions.ts';
import { helpersOf, type TemplateNode } from './template-tree.ts';

/** What a template is rendered with. */
export interface TemplateScope {
  readonly values: Readonly<Record<string, TemplateValue>>;
  /** Helpers besides those of every template. */
  readonly helpers?: Readonly<Record<string, TemplateHelper>>;
  /** Whether a variable without a value is an error instead of an empty text. */
  readonly strict?: boolean;
}

/** Much more than a prompt needs, and little enough to be done at once. */
const maxSteps = 200_000;
/** The size limit of a prompt in characters; no text of more characters has fewer bytes. */
const maxLength = 8 * 1024 * 1024;

/** The text of a template. Values are inserted unchanged and never scanned. Stops at a limit of work and of size. */
export function renderTemplate(nodes: readonly TemplateNode[], scope: TemplateScope): string {
  const rendering: Rendering = { scope, pieces: [], steps: 0, length: 0, sizes: new WeakMap() };
  renderAll(nodes, rendering, undefined);
  return rendering.pieces.join('');
}

/** Refuses a template that uses a helper which does not exist. */
export function assertHelpersExist(nodes: readonly TemplateNode[], helpers: TemplateScope['helpers'] = {}): void {
  const unknown = helpersOf(nodes).find(({ name }) => helperNamed(name, helpers) === undefined);
  if (unknown === undefined) return;
  throw new LoopError(failures.promptTemplateInvalid(unknown.where, `there is no helper "${unknown.name}"`));
}

interface Rendering {
  readonly scope: TemplateScope;
  readonly pieces: string[];
  steps: number;
  length: number;
  /** The sizes of lists and mappings, each measured once. */
  readonly sizes: WeakMap<object, number>;
}

/** What a loop over a list defines, and what the loops around it do. */
interface Frame {
  readonly values: Readonly<Record<string, TemplateValue>>;
  readonly outer: Frame | undefined;
}

function renderAll(nodes: readonly TemplateNode[], rendering: Rendering, frame: Frame | undefined): void {
  for (const node of nodes) renderNode(node, rendering, frame);
}

function renderNode(node: TemplateNode, rendering: Rendering, frame: Frame | undefined): void {
  if (node.kind === 'text') return append(rendering, node.text);
  countStep(rendering, node.where);
  const place = { rendering, frame, where: node.where };
  switch (node.kind) {
    case 'value':
      return append(rendering, textOf(evaluate(node.value, place, false)));
    case 'if': {
      const condition = evaluate(node.condition, place, true);
      countWork(place, condition);
      return renderAll(holds(condition, rendering) ? node.met : node.otherwise, rendering, frame);
    }
    case 'each': {
      const list = evaluate(node.list, place, false);
      countWork(place, list);
      const entries = entriesOf(list);
      for (const [index, [key, value]] of entries.entries()) {
        countStep(rendering, node.where);
        const [isFirst, isLast] = [index === 0, index === entries.length - 1];
        const values = { [node.as]: value, '@key': key, '@index': index, '@first': isFirst, '@last': isLast };
        renderAll(node.body, rendering, { values, outer: frame });
      }
    }
  }
}

/** The same as `isTrue`, without listing a large mapping each time. */
function holds(value: TemplateValue, { sizes }: Rendering): boolean {
  const isMapping = typeof value === 'object' && value !== null && !Array.isArray(value);
  return isMapping ? sizeOf(value, sizes) > emptySize : isTrue(value);
}

function entriesOf(value: TemplateValue): readonly (readonly [string, TemplateValue])[] {
  return isMissing(value) || typeof value !== 'object' ? [] : Object.entries(value);
}

interface Place {
  readonly rendering: Rendering;
  readonly frame: Frame | undefined;
  readonly where: string;
}

/** The value of an expression. A condition, and a value that has a default, may be missing even in strict templates. */
function evaluate(expression: Expression, place: Place, mayBeMissing: boolean): TemplateValue {
  switch (expression.kind) {
    case 'literal':
      return expression.value;
    case 'path': {
      const value = lookUp(expression.steps, place);
      if (!isMissing(value) || mayBeMissing || place.rendering.scope.strict !== true) return value;
      throw new LoopError(failures.promptValueMissing(expression.steps.join('.'), place.where));
    }
    case 'call':
      return call(expression, place, mayBeMissing);
  }
}

function call(
  { helper: name, args }: Extract<Expression, { readonly kind: 'call' }>,
  place: Place,
  mayBeMissing: boolean,
): TemplateValue {
  countStep(place.rendering, place.where);
  const helper = helperNamed(name, place.rendering.scope.helpers);
  if (helper === undefined) return undefined;
  const values = args.map((each, index) => evaluate(each, place, mayBeMissing || (name === 'default' && index === 0)));
  for (const value of values) countWork(place, value);
  const result = callSafely(helper, values, { name, where: place.where });
  countWork(place, result);
  return result;
}

function callSafely(
  helper: TemplateHelper,
  values: readonly TemplateValue[],
  { name, where }: { readonly name: string; readonly where: string },
): TemplateValue {
  try {
    return toTemplateValue(helper(...values));
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    throw new LoopError(failures.promptTemplateInvalid(where, `the helper "${name}" failed: ${why}`));
  }
}

function helperNamed(name: string, helpers: TemplateScope['helpers'] = {}): TemplateHelper | undefined {
  if (Object.hasOwn(templateHelpers, name)) return templateHelpers[name];
  return Object.hasOwn(helpers, name) ? helpers[name] : undefined;
}

/** Only a value's own properties are reached: nothing that every object inherits. */
function lookUp([name = '', ...steps]: readonly string[], { rendering, frame }: Place): TemplateValue {
  let values: TemplateValue = rendering.scope.values;
  for (let inner = frame; inner !== undefined; inner = inner.outer) {
    if (!Object.hasOwn(inner.values, name)) continue;
    values = inner.values;
    break;
  }
  return [name, ...steps].reduce<TemplateValue>(property, values);
}

function property(value: TemplateValue, name: string): TemplateValue {
  if (isMissing(value) || typeof value !== 'object' || !Object.hasOwn(value, name)) return undefined;
  // The length of a list is its own property too, but no part of it.
  if (Array.isArray(value) && name === 'length') return undefined;
  return (value as Readonly<Record<string, TemplateValue>>)[name];
}

function append(rendering: Rendering, text: string): void {
  rendering.length += text.length;
  if (rendering.length > maxLength) throw tooMuch(`it makes the prompt longer than ${maxLength} characters`);
  rendering.pieces.push(text);
}

/** Long values take longer: a helper that handles one counts as several steps. */
function countWork({ rendering, where }: Place, value: TemplateValue): void {
  rendering.steps += Math.floor(sizeOf(value, rendering.sizes) / charactersPerStep);
  countStep(rendering, where);
}

const charactersPerStep = 256;
const emptySize = 1;

function sizeOf(value: TemplateValue, sizes: WeakMap<object, number>): number {
  if (typeof value === 'string') return value.length;
  if (isMissing(value) || typeof value !== 'object') return 1;
  const known = sizes.get(value);
  if (known !== undefined) return known;
  const size = Object.entries(value).reduce((sum, [name, each]) => sum + name.length + sizeOf(each, sizes), emptySize);
  sizes.set(value, size);
  return size;
}

function countStep(rendering: Rendering, where: string): void {
  rendering.steps += 1;
  if (rendering.steps > maxSteps) throw tooMuch(`it takes more than ${maxSteps} steps`, where);
}

function tooMuch(why: string, where = 'the prompt'): LoopError {
  return new LoopError(failures.promptTemplateInvalid(where, why));
}
