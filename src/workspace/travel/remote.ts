import { failures, LoopError } from '../../base/index.ts';
import { git, type PrivateRepository } from '../git.ts';
import { isReadError } from '../unreadable.ts';
import { shownAddress, withoutPasswords } from './address.ts';
import { parseRemoteRefs, type RemoteRef } from './refs.ts';

/** How long a question to a shared repository, or a push of one step's work, may take. */
const talkMs = 2 * 60_000;
/** The first fetch of a large repository takes long. */
const fetchMs = 60 * 60_000;

/** A shared repository, through a repository of ours that knows its address. */
export interface Remote {
  /** The refs that match patterns of `git ls-remote`. */
  list(patterns: readonly string[]): Promise<readonly RemoteRef[]>;
  /** Gets a commit under a local name, with everything it needs. */
  fetch(source: string, as: string): Promise<void>;
  /** Updates refs; nothing else of the repository is sent, and no hook of ours runs. */
  push(updates: readonly string[], options?: readonly string[]): Promise<void>;
}

// Settings of the user must not add to what is sent or fetched, and must not ask anybody for a signature.
const quiet = ['-c', 'push.gpgSign=false', '-c', 'protocol.ext.allow=never', '-c', 'maintenance.auto=false'];
const fetchOptions = '--quiet --no-tags --no-recurse-submodules --no-write-fetch-head --no-auto-gc --refmap='.split(
  ' ',
);
const pushOptions = '--quiet --no-verify --no-recurse-submodules --no-follow-tags --no-signed'.split(' ');

/** Talks to the shared repository at an address. */
export function createRemote(repository: PrivateRepository, address: string, env: NodeJS.ProcessEnv): Remote {
  const run = async (args: readonly string[], timeoutMs: number) => {
    try {
      const call = { args: [...quiet, ...args], env, repository, connects: true, timeoutMs };
      return (await git(repository.folder, call)).toString();
    } catch (error) {
      if (!isReadError(error)) throw error;
      throw new LoopError(failures.travelUnreachable(shownAddress(address), lastLine(error.message)), { cause: error });
    }
  };
  return {
    list: async (patterns) => parseRemoteRefs(await run(['ls-remote', '--quiet', 'origin', ...patterns], talkMs)),
    async fetch(source, as) {
      await run(['fetch', ...fetchOptions, 'origin', `+${source}:${as}`], fetchMs);
    },
    async push(updates, options = []) {
      await run(['push', ...pushOptions, ...options, 'origin', ...updates], talkMs);
    },
  };
}

function lastLine(message: string): string {
  const lines = withoutPasswords(message).trim().split('\n');
  const telling = lines.find((line) => /^(fatal|error|remote:|ssh:|!)/.test(line.trim())) ?? lines.at(-1) ?? '';
  return telling.trim().replace(/\.$/, '').slice(0, 300);
}
