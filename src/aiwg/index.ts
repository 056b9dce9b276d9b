export { SCHEMA_VERSION } from './constants.ts';
