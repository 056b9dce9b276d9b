import { agentNamed } from '../../../src/agents/index.ts';
import { fileOf, type Program, platform } from './program.ts';

/** OpenCode, which uses Chat Completions here. */
export const opencode: Program = {
  adapter: agentNamed('opencode'),
  title: 'OpenCode',
  // The package for this platform only, because not all platform packages of "opencode-ai" are available.
  package: `opencode-${platform}`,
  traits: { stopsWhenDenied: true, isRestless: true },
  binary: () => fileOf(`opencode-${platform}`, 'bin/opencode'),
  equip: ({ provider }) => ({
    env: {
      OPENCODE_DISABLE_MODELS_FETCH: '1',
      OPENCODE_DISABLE_LSP_DOWNLOAD: '1',
      OPENCODE_DISABLE_DEFAULT_PLUGINS: '1',
    },
    args: [],
    files: { '.config/opencode/opencode.json': JSON.stringify(settingsFor(provider)) },
  }),
};

function settingsFor(provider: string) {
  const model = {
    name: 'Scripted',
    tool_call: true,
    limit: { context: 200_000, output: 8192 },
    cost: { input: 3, output: 15, cache_read: 0.3, cache_write: 3.75 },
  };
  const scripted = {
    npm: '@ai-sdk/openai-compatible',
    name: 'Scripted',
    options: { baseURL: `${provider}/v1`, apiKey: 'no-key' },
    models: { scripted: model },
  };
  return {
    autoupdate: false,
    share: 'disabled',
    model: 'scripted/scripted',
    small_model: 'scripted/scripted',
    provider: { scripted },
  };
}
