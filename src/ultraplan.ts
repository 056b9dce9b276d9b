/**
 * Ralph loops of ultraplan: its state file, its modes and its continuation prompt.
 *
 * @packageDocumentation
 */

export { DEFAULT_COMPLETION_PROMISE, DEFAULT_MAX_ITERATIONS } from './ultraplan/index.ts';
