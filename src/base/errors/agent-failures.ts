import { exitCodes } from './exit-codes.ts';
import type { FailureFamily } from './loop-error.ts';

/** What can go wrong with an agent or another command that ralphd runs. */
export const agentFailures = {
  agentUnknown: (agent: string, known: string, suggestion?: string) => ({
    code: 'AGENT_UNKNOWN',
    exitCode: exitCodes.configuration,
    message: `There is no agent called "${agent}". Known agents: ${known}.`,
    hint: suggestion
      ? `Did you mean "--agent ${suggestion}"?`
      : 'Choose one with "--agent", or use "--agent command" with "--agent-command" for any other program.',
  }),
  agentNotFound: (binary: string, searched: string) => ({
    code: 'AGENT_NOT_FOUND',
    exitCode: exitCodes.configuration,
    message: `The agent's program "${binary}" was not found. Looked in: ${searched}.`,
    hint: 'Install it, add its folder to PATH, or name its full path in the configuration ("agents" or "agentCommand").',
  }),
  agentRefusesRoot: (agent: string, vouch: string) => ({
    code: 'AGENT_REFUSES_ROOT',
    exitCode: exitCodes.configuration,
    message: `The agent "${agent}" does not skip its permissions for root.`,
    hint: `Run as another user, choose "--permissions edit", or, inside a sandbox, vouch for it with ${vouch}.`,
  }),
  agentNotExecutable: (binary: string) => ({
    code: 'AGENT_NOT_EXECUTABLE',
    exitCode: exitCodes.configuration,
    message: `The agent's program "${binary}" is there but cannot be executed.`,
    hint: `Make it executable with "chmod +x ${binary}", and check that its first line names an existing interpreter.`,
  }),
  commandFailedToStart: (command: string, reason: string) => ({
    code: 'COMMAND_FAILED_TO_START',
    exitCode: exitCodes.failed,
    message: `"${command}" could not be started: ${reason}`,
    hint: 'Check that the program and its working directory exist and that the machine has memory and processes to spare.',
    retry: 'backoff' as const,
  }),
  iterationTimeout: (iteration: number, limit: string) => ({
    code: 'ITERATION_TIMEOUT',
    exitCode: exitCodes.failed,
    message: `Iteration ${iteration} did not finish within ${limit}; the agent was ended and its work so far was kept.`,
    hint: 'Give it more time with "--iteration-timeout", or ask for smaller steps in the prompt.',
  }),
  iterationIdle: (iteration: number, limit: string) => ({
    code: 'ITERATION_IDLE',
    exitCode: exitCodes.failed,
    message: `The agent of iteration ${iteration} showed no sign of life for ${limit} and was ended.`,
    hint: 'Allow longer silence with "--idle-timeout", or look at its output with "ralphd logs".',
  }),
  outputLimit: (iteration: number, limit: string) => ({
    code: 'OUTPUT_LIMIT',
    exitCode: exitCodes.failed,
    message: `The agent of iteration ${iteration} printed more than ${limit} and was ended.`,
    hint: 'Look at the end of its output with "ralphd logs" to see what it repeated.',
  }),
  survivors: (processes: string) => ({
    code: 'SURVIVORS',
    exitCode: exitCodes.failed,
    message: `These processes of the agent could not be ended: ${processes}.`,
    hint: 'See what they are with "ps -p" and end them by hand before the loop goes on.',
  }),
  demoNotSetUp: (folder: string, output: string) => ({
    code: 'DEMO_NOT_SET_UP',
    exitCode: exitCodes.failed,
    message: `The demo project could not be put into ${folder}: ${output}`,
    hint: 'Name a folder that does not exist yet with "--dir DIR".',
  }),
} as const satisfies FailureFamily;
