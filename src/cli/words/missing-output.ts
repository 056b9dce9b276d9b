import type { WholeOutput } from '../../app/index.ts';

/** That only the end of an output is here, and where all of it is. */
export function missingOutputText({ bytes, host, folder }: WholeOutput): string {
  return `Only the end of this output is in the database: the first ${bytes} bytes are on ${host}, in ${folder}.`;
}
