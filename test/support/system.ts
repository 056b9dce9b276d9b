import { spawnSync } from 'node:child_process';
import { readdirSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { findEncloser } from '../../src/process/index.ts';

/** Whether sealed checks get their own namespaces here; `tools/system-packages.sh` installs what is needed. */
export const hasNamespaces = findEncloser() !== undefined;

/** Whether the system's Python has pytest and can create virtual environments. */
export const hasPytest = spawnSync('/usr/bin/python3', ['-c', 'import pytest, ensurepip']).status === 0;

/**
 * What the tools in the tests' projects are told, so that none of them loads what happens to be installed on this
 * machine: a single plugin of pytest can take a second per run.
 */
export const toolSettings = { PYTEST_DISABLE_PLUGIN_AUTOLOAD: '1' };

/** The program folder of the Rust toolchain; does not exist if none is installed. */
export function rustPrograms(): string {
  const toolchains = path.join(process.env['RUSTUP_HOME'] ?? path.join(os.homedir(), '.rustup'), 'toolchains');
  try {
    const stable = readdirSync(toolchains).find((name) => name.startsWith('stable'));
    return path.join(toolchains, stable ?? 'stable', 'bin');
  } catch {
    return path.join(toolchains, 'stable', 'bin');
  }
}
