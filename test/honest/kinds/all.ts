import type { Kind } from '../kind.ts';
import { node } from './node.ts';
import { others } from './others.ts';
import { python } from './python.ts';

/** Every kind of project. */
export const kinds: readonly Kind[] = [...node, ...python, ...others];
