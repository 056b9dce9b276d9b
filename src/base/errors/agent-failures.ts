import { exitCodes } from './exit-codes.ts';
import type { FailureFamily } from './loop-error.ts';

/** Failures of an agent or another command that ralphd runs. */
export const agentFailures = {
  agentUnknown: (agent: string, known: string, suggestion?: string) => ({
    code: 'AGENT_UNKNOWN',
    exitCode: exitCodes.configuration,
    message: `Unknown agent "${agent}". Known agents: ${known}.`,
    hint: suggestion
      ? `Did you mean "--agent ${suggestion}"?`
      : 'Choose one with "--agent", or run any other program with "--agent-command CMD".',
  }),
  agentNotFound: (binary: string, searched: string) => ({
    code: 'AGENT_NOT_FOUND',
    exitCode: exitCodes.configuration,
    message: `The agent's program "${binary}" was not found. Searched: ${searched}.`,
    hint: 'Install it, add its folder to PATH, or set its full path in ralphd.yml ("agents" or "agentCommand").',
  }),
  agentNotExecutable: (file: string, what: 'file' | 'folder' = 'file') => ({
    code: 'AGENT_NOT_EXECUTABLE',
    exitCode: exitCodes.configuration,
    message:
      what === 'folder'
        ? `The agent's program ${file} is a folder, not a program.`
        : `The agent's program ${file} is not executable.`,
    hint:
      what === 'folder'
        ? 'Set the full path of the program itself in ralphd.yml ("agents" or "agentCommand").'
        : `If it is the right program, run: chmod +x '${file}'`,
  }),
  agentRefusesRoot: (agent: string, vouch: string) => ({
    code: 'AGENT_REFUSES_ROOT',
    exitCode: exitCodes.configuration,
    message: `The agent "${agent}" refuses to skip permission prompts when run as root.`,
    hint: `Run as another user, use "--permissions edit", or set ${vouch} if this is a sandbox.`,
  }),
  demoNotSetUp: (folder: string, output: string) => ({
    code: 'DEMO_NOT_SET_UP',
    exitCode: exitCodes.failed,
    message: `The demo project could not be created in ${folder}: ${output}`,
    hint: 'Use "--dir DIR" with a folder that does not exist yet.',
  }),
  selftestNotSetUp: (cause: string) => ({
    code: 'SELFTEST_NOT_SET_UP',
    exitCode: exitCodes.failed,
    message: `The self-test could not use its temporary folder: ${cause}.`,
    hint: 'Set TMPDIR to a folder that you can write to, with about 50 MB of free space.',
  }),
} as const satisfies FailureFamily;
