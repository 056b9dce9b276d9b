/** Where a shared repository keeps what belongs to a loop. */
export interface LoopRefs {
  /** The branch that people see. */
  readonly branch: string;
  /** What all captures of the loop begin with. */
  readonly prefix: string;
  /** The ref of one capture. It is created once and never moves, so that a late push of an earlier owner changes nothing. */
  capture(epoch: number, commit: string): string;
}

/** The refs of a loop. */
export function refsOf(loopId: string): LoopRefs {
  const prefix = `refs/ralphd/${loopId}/`;
  return {
    branch: `refs/heads/ralphd/${loopId}`,
    prefix,
    capture: (epoch, commit) => `${prefix}${epoch}/${commit}`,
  };
}

/** A ref of the shared repository. */
export interface RemoteRef {
  readonly name: string;
  readonly id: string;
}

/** A capture that the shared repository has. */
export interface RemoteCapture extends RemoteRef {
  readonly epoch: number;
}

/** What `git ls-remote` printed. */
export function parseRemoteRefs(printed: string): readonly RemoteRef[] {
  return printed.split('\n').flatMap((line) => {
    const [, id, name] = /^([0-9a-f]{40,64})\t(.+)$/.exec(line) ?? [];
    return id === undefined || name === undefined ? [] : [{ id, name }];
  });
}

/** The captures of a loop among refs. */
export function capturesAmong(refs: readonly RemoteRef[], { prefix }: LoopRefs): readonly RemoteCapture[] {
  return refs.flatMap((ref) => {
    const epoch = /^(\d{1,15})\/[0-9a-f]+$/.exec(ref.name.startsWith(prefix) ? ref.name.slice(prefix.length) : '')?.[1];
    return epoch === undefined ? [] : [{ ...ref, epoch: Number(epoch) }];
  });
}
