import type { Kind } from '../kind.ts';
import { node } from './node.ts';
import { others } from './others.ts';
import { python } from './python.ts';

/** All kinds of projects. */
export const kinds: readonly Kind[] = [...node, ...python, ...others];
