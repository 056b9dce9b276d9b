import { agentNamed } from '../../../src/agents/index.ts';
import { fileOf, type Program, platform } from './program.ts';

/** Claude Code, which uses Anthropic Messages. */
export const claude: Program = {
  adapter: agentNamed('claude'),
  title: 'Claude Code',
  package: '@anthropic-ai/claude-code',
  traits: { limitsTurns: true },
  binary: () => fileOf(`@anthropic-ai/claude-code-${platform}`, 'claude'),
  equip: ({ provider }, { turns, plan = false }) => ({
    env: {
      ANTHROPIC_BASE_URL: provider,
      ...(plan ? { CLAUDE_CODE_OAUTH_TOKEN: 'no-token' } : { ANTHROPIC_API_KEY: 'no-key' }),
      DISABLE_TELEMETRY: '1',
      DISABLE_ERROR_REPORTING: '1',
      CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1',
      CLAUDE_CODE_MAX_RETRIES: '1',
      // It cannot do damage: its home, project and model exist only for this test.
      IS_SANDBOX: '1',
    },
    args: turns === undefined ? [] : ['--max-turns', String(turns)],
    files: {},
  }),
};
