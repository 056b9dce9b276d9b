/** The version of the state documents that this layer reads and writes. */
export const STATE_VERSION = 1;
