import { assertTrusted, isGranted, trustedFolder } from '../../app/index.ts';
import { visible } from '../../base/index.ts';
import type { LoadedConfig } from '../../config/index.ts';
import type { LoopConfig } from '../../protocol/index.ts';
import { printLines } from '../output/fit-lines.ts';
import { paintFor } from '../output/paint.ts';
import type { Invocation } from '../parse.ts';
import { settingsFor } from '../settings.ts';
import type { Surroundings } from '../surroundings.ts';
import { consentFor } from './consent.ts';

/** The configuration for a command that carries out settings of a project itself: all of it is trusted. */
export async function trustedSettings(invocation: Invocation, surroundings: Surroundings): Promise<LoadedConfig> {
  const loaded = await settingsFor(invocation, surroundings);
  const { folder, lines } = loaded.brought;
  const consent = consentFor(invocation, surroundings);
  await assertTrusted({ folder: trustedFolder(folder), lines }, { env: surroundings.env, consent });
  return loaded;
}

/**
 * The configuration for a command that asks agents for their versions without starting a loop: programs that only the
 * project names are left out until they are trusted.
 */
export function withTrustedAgents(
  { config, brought, harmless }: LoadedConfig,
  { env, stderr }: Surroundings,
): LoopConfig {
  const lines = brought.lines.filter(({ setting }) => setting.startsWith('agents.'));
  if (isGranted({ folder: trustedFolder(brought.folder) }, lines, env)) return config;
  const paint = paintFor(stderr);
  printLines(
    stderr,
    lines.map(({ where, setting }) =>
      paint.warn(`! ${setting} (${visible(where)}) is not used here until you trust it: ralphd trust`),
    ),
  );
  return { ...config, agents: harmless().agents };
}
