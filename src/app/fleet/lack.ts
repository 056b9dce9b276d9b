import { shellWord } from '../../base/index.ts';
import type { FleetStatus, Lack } from '../../fleet/index.ts';

type QueuedLoop = Pick<FleetStatus['loops'][number], 'lacks' | 'agent' | 'labels' | 'account' | 'repository'>;

/** What a loop lacks that no worker would take, and what provides it. */
export interface LackReport {
  readonly what: string;
  readonly fix: string;
}

const lacks: Readonly<Record<Lack, (loop: QueuedLoop) => LackReport>> = {
  worker: () => ({ what: 'no worker is alive', fix: 'ralphd worker --trust URL' }),
  agent: ({ agent }) => ({
    what: `no worker offers the agent ${agent}`,
    fix: `ralphd worker --offer ${shellWord(agent ?? '')}`,
  }),
  label: ({ labels }) => ({
    what: `no worker has ${labels.length === 1 ? 'the label' : 'all of the labels'} ${labels.join(', ')}`,
    fix: `ralphd worker ${labels.map((label) => `--label ${shellWord(label)}`).join(' ')}`,
  }),
  account: ({ account }) => ({
    what: `no worker has the account ${account}`,
    fix: `ralphd worker --account ${shellWord(account ?? '')}`,
  }),
  trust: ({ repository }) => ({
    what: `no worker trusts ${withoutPassword(repository)}`,
    fix: `ralphd worker --trust ${shellWord(withoutPassword(repository))}`,
  }),
  combination: ({ agent, labels, account, repository }) => ({
    what: `no single worker offers ${[agent, ...labels, account, repository && withoutPassword(repository)].filter((each) => each).join(', ')}`,
    fix: 'ralphd fleet status --json',
  }),
};

/** What a loop lacks that waits for nobody; undefined for any other. */
export function lackOf(loop: QueuedLoop): LackReport | undefined {
  return loop.lacks === null ? undefined : lacks[loop.lacks](loop);
}

function withoutPassword(address: string | null): string {
  return (address ?? '').replace(/^([a-z][a-z0-9+.-]*:\/\/)[^/@]*@/i, '$1');
}
