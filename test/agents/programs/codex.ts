import { agentNamed } from '../../../src/agents/index.ts';
import { fileOf, type Program, platform } from './program.ts';

const triples: Readonly<Record<string, string>> = {
  'linux-x64': 'x86_64-unknown-linux-musl',
  'linux-arm64': 'aarch64-unknown-linux-musl',
  'darwin-x64': 'x86_64-apple-darwin',
  'darwin-arm64': 'aarch64-apple-darwin',
};

/** Codex, which uses OpenAI Responses. */
export const codex: Program = {
  adapter: agentNamed('codex'),
  title: 'Codex',
  package: '@openai/codex',
  traits: {},
  binary: () => fileOf(`@openai/codex-${platform}`, `vendor/${triples[platform]}/bin/codex`),
  equip: ({ provider }) => ({
    env: { OPENAI_API_KEY: 'no-key' },
    args: [],
    files: { '.codex/config.toml': settingsFor(provider) },
  }),
};

// Without a network, prefetching plugins delays every exit by five seconds.
function settingsFor(provider: string): string {
  return `model = "gpt-5.5"
model_provider = "scripted"
check_for_update_on_startup = false

[features]
plugins = false

[analytics]
enabled = false

[feedback]
enabled = false

[model_providers.scripted]
name = "Scripted"
base_url = "${provider}/v1"
env_key = "OPENAI_API_KEY"
wire_api = "responses"
request_max_retries = 1
stream_max_retries = 1
`;
}
