import type { Loop } from '../core/index.ts';
import { runInForeground } from '../process/index.ts';
import type { AppContext } from './agent-programs.ts';

/** Opens a person's shell where a loop works, and returns when they leave it. */
export async function openShell({ origin: { workingDirectory: cwd } }: Loop, { env }: AppContext): Promise<void> {
  await runInForeground({ line: '"${SHELL:-/bin/sh}"', args: [], cwd, env });
}
