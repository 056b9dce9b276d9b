import { type Failure, failures, LoopError } from '../../base/index.ts';
import { BadExpression, type Expression, namesIn, parseExpression } from './expression.ts';
import type { PromptPart } from './template.ts';

/** A piece of a template. */
export type TemplateNode =
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'value'; readonly value: Expression; readonly where: string }
  | {
      readonly kind: 'if';
      readonly condition: Expression;
      readonly met: readonly TemplateNode[];
      readonly otherwise: readonly TemplateNode[];
      readonly where: string;
    }
  | {
      readonly kind: 'each';
      readonly list: Expression;
      readonly as: string;
      readonly body: readonly TemplateNode[];
      readonly where: string;
    };

const maxNesting = 50;
const eachForm = /^#each\s+(\S.*?)\s+as\s+([A-Za-z][A-Za-z0-9_]*)$/u;

/** Parses the directives of a template into a tree; throws for one that makes no sense. */
export function buildTemplate(parts: readonly PromptPart[]): readonly TemplateNode[] {
  const root: OpenBlock = { nodes: [], end: '', where: '' };
  const open: OpenBlock[] = [root];
  for (const part of parts) {
    const block = open.at(-1) ?? root;
    if ('directive' in part) readDirective(part, open);
    else if ('variable' in part) block.nodes.push(toValue(part.variable, ''));
    else block.nodes.push({ kind: 'text', text: part.text });
  }
  const unclosed = open.length > 1 ? open.at(-1) : undefined;
  if (unclosed !== undefined) throw refused(unclosed.where, `it is never closed with {{/${unclosed.end}}}`);
  return root.nodes;
}

/** The variables that a template uses, each once; what a loop over a list defines is not among them. */
export function variablesOf(nodes: readonly TemplateNode[]): readonly string[] {
  return [...new Set(usedBy(nodes).variables)];
}

/** The helpers that a template uses, each with its place. */
export function helpersOf(
  nodes: readonly TemplateNode[],
): readonly { readonly name: string; readonly where: string }[] {
  return usedBy(nodes).helpers;
}

interface OpenBlock {
  /** Where the next piece goes. */
  nodes: TemplateNode[];
  /** `if` or `each`. */
  readonly end: string;
  readonly where: string;
  hasElse?: boolean;
  readonly close?: () => TemplateNode;
  readonly toElse?: () => TemplateNode[];
}

type Directive = Extract<PromptPart, { readonly directive: string }>;

function readDirective({ directive, where }: Directive, open: OpenBlock[]): void {
  const block = open.at(-1);
  if (block === undefined) return;
  if (directive.startsWith('#')) {
    if (open.length > maxNesting) throw refused(where, `blocks are nested more than ${maxNesting} levels deep`);
    open.push(directive.startsWith('#if') ? openIf(directive, where) : openEach(directive, where));
  } else if (directive === 'else') {
    if (block.toElse === undefined || block.hasElse) throw refused(where, 'there is no {{#if}} that it belongs to');
    block.nodes = block.toElse();
    block.hasElse = true;
  } else if (directive.startsWith('/')) {
    if (block.close === undefined || directive !== `/${block.end}`) throw refused(where, 'no such block is open');
    open.pop();
    open.at(-1)?.nodes.push(block.close());
  } else block.nodes.push(toValue(directive, where));
}

function openIf(directive: string, where: string): OpenBlock {
  if (!/^#if\s/u.test(directive)) throw refused(where, 'only #if and #each are blocks, and #if needs a condition');
  const condition = expressionAt(directive.slice('#if'.length), where);
  const [met, otherwise]: [TemplateNode[], TemplateNode[]] = [[], []];
  return {
    nodes: met,
    end: 'if',
    where,
    toElse: () => otherwise,
    close: () => ({ kind: 'if', condition, met, otherwise, where }),
  };
}

function openEach(directive: string, where: string): OpenBlock {
  const [, list, as] = eachForm.exec(directive) ?? [];
  if (list === undefined || as === undefined)
    throw refused(where, 'only {{#if VALUE}} and {{#each LIST as NAME}} are blocks');
  const [value, body]: [Expression, TemplateNode[]] = [expressionAt(list, where), []];
  return { nodes: body, end: 'each', where, close: () => ({ kind: 'each', list: value, as, body, where }) };
}

function toValue(text: string, where: string): TemplateNode {
  return { kind: 'value', value: expressionAt(text, where), where };
}

function expressionAt(text: string, where: string): Expression {
  try {
    return parseExpression(text);
  } catch (error) {
    if (error instanceof BadExpression) throw refused(where, error.message);
    throw error;
  }
}

function refused(where: string, why: string): LoopError {
  return new LoopError(failures.promptTemplateInvalid(where, why) satisfies Failure);
}

interface Used {
  readonly variables: readonly string[];
  readonly helpers: readonly { readonly name: string; readonly where: string }[];
}

function usedBy(nodes: readonly TemplateNode[]): Used {
  const parts = nodes.map(usedByNode);
  return {
    variables: parts.flatMap(({ variables }) => variables),
    helpers: parts.flatMap(({ helpers }) => helpers),
  };
}

function usedByNode(node: TemplateNode): Used {
  switch (node.kind) {
    case 'text':
      return { variables: [], helpers: [] };
    case 'value':
      return usedIn(node.value, node.where);
    case 'if':
      return join(usedIn(node.condition, node.where), usedBy(node.met), usedBy(node.otherwise));
    case 'each': {
      const inner = usedBy(node.body);
      const variables = inner.variables.filter((name) => name !== node.as && !name.startsWith('@'));
      return join(usedIn(node.list, node.where), { ...inner, variables });
    }
  }
}

function usedIn(expression: Expression, where: string): Used {
  const { variables, helpers } = namesIn(expression);
  return { variables, helpers: helpers.map((name) => ({ name, where })) };
}

function join(...parts: readonly Used[]): Used {
  return {
    variables: parts.flatMap(({ variables }) => variables),
    helpers: parts.flatMap(({ helpers }) => helpers),
  };
}
