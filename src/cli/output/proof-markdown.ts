import type { ProofBundle } from '../../protocol/index.ts';
import { levelText } from '../words/report.ts';
import { oneLine, shortDuration } from './plain.ts';

/** A proof as a summary for a pull request. */
export function proofMarkdown(bundle: ProofBundle): string {
  const { loop, proof, doubts, warnings } = bundle;
  const blocks = [
    `### Completed and verified by ralphd\n\n${oneLine(loop.task, 300)}`,
    facts(bundle),
    checkTable(bundle),
    bulleted(
      'Check this',
      doubts.map(({ code, message }) => `\`${code}\`: ${message ?? ''}`),
    ),
    bulleted('Warnings', warnings),
    `Verify: \`ralphd proof verify FILE --repo .\`${proof.tree === null ? '' : ' in a checkout of the result'}; add \`--run\` to run the checks again.`,
  ];
  return `${blocks.filter((block) => block !== '').join('\n\n')}\n`;
}

function facts({ loop, proof, agents, sandbox, usage, final, baseline, digest }: ProofBundle): string {
  const [agent] = agents;
  const models = agent === undefined || agent.models.length === 0 ? '' : ` (${agent.models.join(', ')})`;
  const rows = [
    ['Proof', `\`${proof.level}\`: ${levelText(proof.level)}`],
    ['Tree', proof.tree === null ? 'unknown' : `\`${proof.tree.id}\`, ${proof.tree.files} files`],
    [
      'Commit',
      proof.commit === null
        ? 'none'
        : `\`${proof.commit.id}\`${proof.commit.holdsEverything ? '' : ' (not everything is committed)'}`,
    ],
    ['Tests', `${tests(baseline?.tests)} before, ${tests(final.tests)} after`],
    ['Agent', `${agent?.name ?? 'unknown'}${models}${sandbox === undefined ? '' : `, sandbox: ${sandbox}`}`],
    [
      'Work',
      `${loop.iterations} ${loop.iterations === 1 ? 'iteration' : 'iterations'} in ${shortDuration(loop.runningMs)}, ${cost(usage)}`,
    ],
    ['Digest', `\`${digest}\``],
  ];
  return ['| | |', '|---|---|', ...rows.map(([name, value = '']) => `| ${name} | ${cell(value)} |`)].join('\n');
}

function tests(counts: ProofBundle['final']['tests']): string {
  return counts === undefined ? 'none counted' : `${counts.passed} of ${counts.total} passed`;
}

function cost({ tokens, costUsd, unreportedCost, unreportedTokens, runs }: ProofBundle['usage']): string {
  if (runs > 0 && unreportedCost === runs && unreportedTokens === runs) return 'cost not reported';
  const atLeast = unreportedCost + unreportedTokens > 0 ? 'at least ' : '';
  return `${atLeast}$${costUsd.toFixed(2)}, ${tokens} tokens`;
}

function checkTable({ final, baseline }: ProofBundle): string {
  const before = new Map(baseline?.checks.map(({ command, verdict }) => [command, verdict]));
  const rows = final.checks.map(
    ({ command, verdict, exitCode, durationMs }) =>
      `| ${cell(`\`${command.replaceAll('`', "'")}\``)} | ${before.get(command) ?? 'not run'} | ${verdict} | ${exitCode ?? ''} | ${shortDuration(durationMs)} |`,
  );
  return ['| Check | Before | After | Exit code | Time |', '|---|---|---|---|---|', ...rows].join('\n');
}

function bulleted(title: string, texts: readonly string[]): string {
  if (texts.length === 0) return '';
  return `**${title}**\n\n${texts.map((text) => `- ${oneLine(text, 300)}`).join('\n')}`;
}

/** Text escaped for a table cell. */
function cell(text: string): string {
  return oneLine(text, 300).replaceAll('|', '\\|');
}
