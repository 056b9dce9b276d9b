/** A local ref of a work tree. */
export interface KeptRef {
  readonly name: string;
  readonly id: string;
}

/** What a capture says about the repository of a work tree, besides its files. */
export interface CaptureNote {
  readonly loopId: string;
  readonly epoch: number;
  /** The commit that is checked out. */
  readonly head: string;
  /** The branch that is checked out; absent for a detached HEAD. */
  readonly branch?: string;
  readonly refs: readonly KeptRef[];
}

/** Writes the message of the commit that carries a work tree. */
export function writeNote({ loopId, epoch, head, branch, refs }: CaptureNote): string {
  return [
    `Work of ${loopId}, not committed by it`,
    '',
    `Ralphd-Loop: ${loopId}`,
    `Ralphd-Epoch: ${epoch}`,
    `Ralphd-Head: ${head}${branch === undefined ? '' : ` ${branch}`}`,
    ...refs.map(({ id, name }) => `Ralphd-Ref: ${id} ${name}`),
    '',
  ].join('\n');
}

const head = /^Ralphd-Head: ([0-9a-f]{40,64})(?: (refs\/heads\/\S+))?$/m;

/** Reads the message of a commit; undefined for one that carries no work tree. */
export function readNote(message: string): CaptureNote | undefined {
  const loopId = /^Ralphd-Loop: (\S+)$/m.exec(message)?.[1];
  const epoch = /^Ralphd-Epoch: (\d{1,15})$/m.exec(message)?.[1];
  const [, commit, branch] = head.exec(message) ?? [];
  if (loopId === undefined || epoch === undefined || commit === undefined) return undefined;
  const found = message.matchAll(/^Ralphd-Ref: ([0-9a-f]{40,64}) (refs\/(?:heads|ralphd)\/\S+|refs\/stash)$/gm);
  const refs = [...found].map(([, id = '', name = '']) => ({ id, name }));
  return { loopId, epoch: Number(epoch), head: commit, ...(branch === undefined ? {} : { branch }), refs };
}
