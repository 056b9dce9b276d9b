import { agentNamed } from '../../../src/agents/index.ts';
import { fileOf, type Program } from './program.ts';

/** Gemini CLI, which uses generateContent. */
export const gemini: Program = {
  adapter: agentNamed('gemini'),
  title: 'Gemini CLI',
  package: '@google/gemini-cli',
  traits: { limitsTurns: true, hasDailyQuota: true },
  binary: () => fileOf('@google/gemini-cli', 'bundle/gemini.js'),
  equip: ({ provider }, { turns }) => ({
    env: {
      GEMINI_API_KEY: 'no-key',
      GOOGLE_GEMINI_BASE_URL: provider,
      GEMINI_TELEMETRY_ENABLED: 'false',
      NO_BROWSER: '1',
    },
    // Set explicitly, because otherwise the client first asks another model which one to use.
    args: ['--model', 'gemini-2.5-pro'],
    files: { '.gemini/settings.json': JSON.stringify(settingsWith(turns)) },
  }),
};

function settingsWith(turns: number | undefined) {
  return {
    security: { auth: { selectedType: 'gemini-api-key' } },
    privacy: { usageStatisticsEnabled: false },
    telemetry: { enabled: false },
    general: { enableAutoUpdate: false, enableAutoUpdateNotification: false, maxAttempts: 2 },
    ...(turns === undefined ? {} : { model: { maxSessionTurns: turns } }),
  };
}
