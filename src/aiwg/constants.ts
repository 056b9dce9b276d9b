/** The version of the state documents that this layer writes; it reads every 2.x. */
export const SCHEMA_VERSION = '2.0.0';
