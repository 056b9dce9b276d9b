import path from 'node:path';
import { type AgentAdapter, streamingAgents } from '../agents/index.ts';
import { createTemporaryFolder } from '../files/index.ts';
import type { LoopConfig } from '../protocol/index.ts';
import { openSandbox, type Sandbox } from '../sandbox/index.ts';
import { programOf } from './agent-programs.ts';
import { installCommand } from './setup/install-command.ts';
import { type LoopPlace, ownState } from './stores.ts';

/** The loop that needs a sandbox. */
export interface SandboxRequest {
  readonly config: LoopConfig;
  readonly adapter: AgentAdapter;
  readonly place: LoopPlace;
  /** The folder of the loop. */
  readonly folder: string;
  readonly env: NodeJS.ProcessEnv;
}

/** The sandbox of a loop; undefined where its settings want none. Fails where it cannot work. */
export async function sandboxFor({
  config,
  adapter,
  place,
  folder,
  env,
}: SandboxRequest): Promise<Sandbox | undefined> {
  if (config.sandbox === 'off') return undefined;
  const home = adapter.home?.(env);
  const others = streamingAgents.filter(({ name }) => name !== adapter.name);
  const own = ownState(env);
  return await openSandbox({
    config,
    workingDirectory: place.workingDirectory,
    root: place.root,
    own: own === undefined ? [] : [own],
    env,
    home,
    others: others.flatMap((each) => each.home?.(env).writes ?? []),
    program: programOf(adapter, config, env),
    hosts: home?.hosts ?? [],
    folder: path.join(folder, 'sandbox'),
    install: (name) => installCommand(name, env),
  });
}

/** Refuses a sandbox that cannot work here, before anything is created. */
export async function assertSandboxWorks(request: Omit<SandboxRequest, 'folder'>): Promise<void> {
  if (request.config.sandbox === 'off') return;
  using folder = createTemporaryFolder();
  await sandboxFor({ ...request, folder: folder.root });
}
