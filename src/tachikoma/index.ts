export { STATE_VERSION } from './constants.ts';
