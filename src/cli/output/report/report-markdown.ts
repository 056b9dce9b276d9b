import { scrub } from '../../../base/index.ts';
import type { ReportText, Tone, TrustText } from '../../words/report.ts';
import { codeBlock, codeSpan, markdownTable, plainMarkdown } from '../markdown.ts';

const marks: Readonly<Record<Tone, string>> = { good: '✅', look: '⚠️', bad: '❌', plain: '▫️' };
const maxQuoted = 1_500;

/** A report as Markdown, for a pull request or a chat. */
export function reportMarkdown(text: ReportText): string {
  const { id, task, badge, headline, because, figures, trust, interludes, next } = text;
  const blocks = [
    `### ${marks[badge.tone]} ${badge.word}: ${codeSpan(id)}${text.caution === undefined ? '' : ` (${marks.look} ${text.caution})`}`,
    `**${plainMarkdown(headline)}**`,
    because.map((line) => plainMarkdown(line)).join('  \n'),
    section('Task', codeBlock(scrub(task).trim().slice(0, maxQuoted))),
    markdownTable(
      ['', ''],
      figures.map(([name, value]) => [name, plainMarkdown(value)]),
    ),
    section('Can you trust it?', trust.map(trustItem).join('\n')),
    section('Iterations', iterationTable(text)),
    section('Chain of loops', chainBlock(text)),
    section('Waits and pauses', interludes.map((line) => `- ${plainMarkdown(line)}`).join('\n')),
    section('Changed files', filesBlock(text)),
    text.lastWords === undefined ? '' : section("The agent's last words", quoted(text.lastWords)),
    section('Next', next.map(({ command, does }) => `- ${codeSpan(command)}: ${plainMarkdown(does)}`).join('\n')),
  ];
  return `${blocks.filter((block) => block !== '').join('\n\n')}\n`;
}

function trustItem({ tone, command, text }: TrustText): string {
  const named = command === undefined ? '' : `${codeSpan(command)}: `;
  return `- ${marks[tone]} ${named}${plainMarkdown(text)}`;
}

function section(title: string, body: string): string {
  return body === '' ? '' : `**${title}**\n\n${body}`;
}

function iterationTable({ iterations, omitted }: ReportText): string {
  if (iterations.length === 0) return '';
  const titles = ['#', '', 'Outcome', 'Failing tests', 'Files', 'Lines', 'Cost', 'Time'];
  const rows = iterations.map((row) => [
    row.number,
    row.mark,
    plainMarkdown(row.outcome, 80),
    row.failing,
    row.files,
    row.lines,
    plainMarkdown(row.cost),
    row.time,
  ]);
  const table = markdownTable(titles, rows);
  return omitted === undefined ? table : `${table}\n\n${plainMarkdown(omitted)}.`;
}

function chainBlock({ chain }: ReportText): string {
  if (chain === undefined) return '';
  const rows = chain.loops.map(({ id, status, iterations, cost, isThis }) => [
    `${codeSpan(id)}${isThis ? ' (this one)' : ''}`,
    status,
    iterations,
    plainMarkdown(cost),
  ]);
  const table = markdownTable(['Loop', 'Status', 'Iterations', 'Cost'], rows);
  return `${table}\n\nIn all: ${plainMarkdown(chain.total)}.`;
}

function filesBlock({ files, filesNote }: ReportText): string {
  const rows = files.map(({ path, added, removed, isOpaque }) => [
    codeSpan(path, 120),
    added,
    isOpaque ? 'not text' : removed,
  ]);
  const table = rows.length === 0 ? '' : markdownTable(['File', 'Added', 'Removed'], rows);
  return [table, filesNote ?? ''].filter((block) => block !== '').join('\n\n');
}

function quoted(words: string): string {
  return codeBlock(scrub(words).trim().slice(0, maxQuoted));
}
