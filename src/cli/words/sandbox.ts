import type { LoopConfig } from '../../protocol/index.ts';
import { oneLine } from '../output/plain.ts';

/** What a sandbox restricts; undefined without one. */
export function sandboxText({ sandbox, network }: Pick<LoopConfig, 'sandbox' | 'network'>): string | undefined {
  switch (sandbox) {
    case 'off':
      return undefined;
    case 'on':
      return 'on: only the work tree can be written, secrets are hidden';
    case 'strict': {
      const hosts = network.length === 0 ? '' : `, ${oneLine(network.join(', '), 120)}`;
      return `strict: only the work tree can be written, secrets are hidden; network: the agent's provider${hosts}`;
    }
  }
}

/** Which hosts a sandbox did not let an agent reach, and the setting that allows them. */
export function deniedHostsText(hosts: readonly string[]): string {
  const settings = [...new Set(hosts.map((host) => host.replace(/:(?:80|443)$/u, '')))];
  return `${hosts.join(', ')}; allow with network: [${settings.map((host) => JSON.stringify(host)).join(', ')}]`;
}
