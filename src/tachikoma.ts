/**
 * The names, defaults and documents of the Tachikoma loop runner, over the same engine.
 *
 * @packageDocumentation
 */

export { STATE_VERSION } from './tachikoma/index.ts';
