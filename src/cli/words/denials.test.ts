import { expect, test } from 'vitest';
import { denialText } from './denials.ts';

test('the advice for a denied tool is written in the agent’s own syntax', () => {
  const calls = { count: 2, tools: ['bash(npm test)', 'edit'] };
  expect(denialText(calls, 'claude')).toBe(
    "2 tool calls: bash(npm test), edit; allow it with -- --allowedTools 'bash(npm test)', or everything with --permissions full",
  );
  expect(denialText(calls, 'opencode')).toContain(
    `allow it with iteration.env.OPENCODE_PERMISSION: '{"bash":"allow"}' in ralphd.yml`,
  );
  expect(denialText({ count: 1, tools: ["Bash(echo 'x')"] }, 'claude')).toContain(
    `--allowedTools 'Bash(echo '\\''x'\\'')'`,
  );
});

test('a denial whose tool or agent is unknown still names the setting', () => {
  expect(denialText({ count: 1, tools: [] }, 'claude')).toBe('1 tool call; change this with --permissions full');
  expect(denialText({ count: 1, tools: ['apply_patch'] })).toBe(
    '1 tool call: apply_patch; change this with --permissions full',
  );
});
