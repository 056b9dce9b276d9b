/** A place in a JSON document: names of members and numbers of items. */
export type JsonPath = readonly (string | number)[];

interface Part {
  readonly key: string | number;
  /** Where the part starts: at the name of a member, or at the value of an item. */
  readonly start: number;
  readonly value: Node;
}

interface Node {
  readonly kind: 'object' | 'array' | 'scalar';
  readonly start: number;
  readonly end: number;
  readonly parts: readonly Part[];
}

/** The document with one more member or item at the end of the object or array at a path; the rest stays as it is. */
export function addToJson(
  text: string,
  path: JsonPath,
  added: { readonly name?: string; readonly value: unknown },
): string {
  const target = nodeAt(parseTree(text), path);
  if (target === undefined || target.kind === 'scalar')
    throw new TypeError(`There is nothing to add to at ${path.join('.')}.`);
  const unit = indentOf(text);
  const isSpread = unit !== undefined;
  const outer = (unit ?? '').repeat(path.length);
  const inner = outer + (unit ?? '');
  const value = JSON.stringify(added.value, undefined, unit).replaceAll('\n', `\n${inner}`);
  const name = added.name === undefined ? '' : `${JSON.stringify(added.name)}:${isSpread ? ' ' : ''}`;
  const last = target.parts.at(-1);
  if (last !== undefined) {
    const at = last.value.end;
    return `${text.slice(0, at)},${isSpread ? `\n${inner}` : ''}${name}${value}${text.slice(at)}`;
  }
  const body = isSpread ? `\n${inner}${name}${value}\n${outer}` : `${name}${value}`;
  return `${text.slice(0, target.start + 1)}${body}${text.slice(target.end - 1)}`;
}

/** The document without the member or item at a path; the rest stays as it is. */
export function removeFromJson(text: string, path: JsonPath): string {
  const parent = nodeAt(parseTree(text), path.slice(0, -1));
  const index = parent?.parts.findIndex(({ key }) => key === path.at(-1)) ?? -1;
  const part = parent?.parts[index];
  if (parent === undefined || part === undefined) return text;
  const [before, after] = [parent.parts[index - 1], parent.parts[index + 1]];
  if (before !== undefined) return text.slice(0, before.value.end) + text.slice(part.value.end);
  if (after !== undefined) return text.slice(0, part.start) + text.slice(after.start);
  return text.slice(0, parent.start + 1) + text.slice(parent.end - 1);
}

/** One level of indentation; undefined for a document on one line. An empty document is indented by two spaces. */
function indentOf(text: string): string | undefined {
  const found = /\n([ \t]+)\S/u.exec(text)?.[1];
  if (found !== undefined) return found;
  return /^\s*\{\s*\}\s*$/u.test(text) ? '  ' : undefined;
}

function nodeAt(node: Node, path: JsonPath): Node | undefined {
  return path.reduce<Node | undefined>((at, key) => at?.parts.find((part) => part.key === key)?.value, node);
}

/** Where everything is in a document that is known to be valid. */
function parseTree(text: string): Node {
  const skip = (from: number): number => {
    let at = from;
    while (/\s/u.test(text.charAt(at))) at += 1;
    return at;
  };
  const readNode = (start: number): Node => {
    const opening = text.charAt(start);
    if (opening !== '{' && opening !== '[') return { kind: 'scalar', start, end: scalarEnd(text, start), parts: [] };
    const kind = opening === '{' ? 'object' : 'array';
    const parts: Part[] = [];
    let at = skip(start + 1);
    while (text.charAt(at) !== '}' && text.charAt(at) !== ']') {
      const part = kind === 'object' ? readMember(at) : { key: parts.length, start: at, value: readNode(at) };
      parts.push(part);
      at = skip(part.value.end);
      if (text.charAt(at) === ',') at = skip(at + 1);
    }
    return { kind, start, end: at + 1, parts };
  };
  const readMember = (start: number): Part => {
    const end = scalarEnd(text, start);
    const key = JSON.parse(text.slice(start, end)) as string;
    return { key, start, value: readNode(skip(skip(end) + 1)) };
  };
  return readNode(skip(0));
}

function scalarEnd(text: string, start: number): number {
  const pattern = /"(?:[^"\\]|\\.)*"|[^\s,\]}]+/uy;
  pattern.lastIndex = start;
  return start + (pattern.exec(text)?.[0].length ?? 1);
}
