import { group, host, list, text } from './settings.ts';

/** Whether a loop has a sandbox: none, one for files and processes, or one for the network and the environment too. */
export const sandboxModes = ['off', 'on', 'strict'] as const;
/** One of them. */
export type SandboxMode = (typeof sandboxModes)[number];

/** The sandboxes that restrict anything. */
export const activeSandboxModes = ['on', 'strict'] as const satisfies readonly SandboxMode[];

/** Places that a sandbox treats differently. */
export const sandboxPathsSchema = group({
  write: list(text())
    .default([])
    .describe('Folders outside the work tree that may also be written, such as "~/.cache/pip".'),
  show: list(text())
    .default([])
    .describe('Folders and files that may be read although a sandbox hides them, such as "/run/postgresql".'),
  hide: list(text()).default([]).describe('Further folders and files that appear empty.'),
});

/** The hosts that a strict sandbox lets through. */
export const networkSchema = list(host()).default([]);
